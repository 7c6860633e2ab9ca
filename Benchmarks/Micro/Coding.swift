// Bytes and values: encoding events, framing pushes, decoding commands, hashing rows.

import EventModel

@testable import SyncDaemon

enum Coding {
    static func measure(_ watch: Stopwatch, into table: inout CostTable) {
        encode(watch, into: &table)
        frame(watch, into: &table)
        decode(watch, into: &table)
        digest(watch, into: &table)
    }

    private static func encode(_ watch: Stopwatch, into table: inout CostTable) {
        let message = Samples.message(
            bytes: 200, in: Samples.channel, at: Samples.firstTimetoken)
        let reaction = Samples.added(Samples.reactions(1)[0])
        for (name, event) in [("an event of 200 bytes", message), ("a reaction", reaction)] {
            table.add(
                "encode \(name)",
                watch.measure { count in
                    var bytes = 0
                    for _ in 0..<count { bytes &+= EncodedEnvelope(event).json.count }
                    return bytes
                })
        }
    }

    private static func frame(_ watch: Stopwatch, into table: inout CostTable) {
        for size in [1, 50] {
            let events = (0..<UInt64(size)).map {
                EncodedEnvelope(
                    Samples.message(
                        bytes: 200, in: Samples.channel, at: Samples.firstTimetoken + $0))
            }
            let cursor = events[size - 1].timetoken
            let hub = Hub(engine: IdleEngine(), counters: Counters())
            table.add(
                "frame a push of \(size == 1 ? "1 event" : "\(size) events")",
                watch.measure { count in
                    var bytes = 0
                    for _ in 0..<count {
                        bytes &+=
                            hub.outlet.frame(
                                of: events[...], in: Samples.channel, cursor: cursor,
                                state: Samples.state
                            )
                            .bytes.count
                    }
                    return bytes
                })
        }
    }

    private static func decode(_ watch: Stopwatch, into table: inout CostTable) {
        for (name, text) in [("publish", Samples.publish), ("addAction", Samples.addAction)] {
            let bytes = Array(text.utf8)
            table.add(
                "decode a command: \(name)",
                watch.measure { count in
                    var decoded = 0
                    for _ in 0..<count {
                        if case .success = unsafe CommandDecoder.decode(bytes.span.bytes).command {
                            decoded &+= 1
                        }
                    }
                    precondition(decoded == count, "\(name) is refused: \(text)")
                    return decoded
                })
        }
    }

    private static func digest(_ watch: Stopwatch, into table: inout CostTable) {
        var generator = SystemRandomNumberGenerator()
        let key = DigestKey.random(using: &generator)
        let rows = Samples.reactions(1024)
        table.add(
            "digest: hash a row and add it",
            watch.measure { count in
                var digest = Digest()
                for index in 0..<count { digest.insert(rows[index % rows.count], key: key) }
                return Int(digest.count)
            })
    }
}
