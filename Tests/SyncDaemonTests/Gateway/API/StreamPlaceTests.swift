// The ids of server-sent events.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ids of streams")
struct StreamPlaceTests {
    @Test(
        "an id comes back as it was",
        arguments: [
            ("6f1c0e5b9a7d42d3.07c1a5e2", 17, 17, "6f1c0e5b9a7d42d3.07c1a5e2-17"),
            ("6f1c.07", 16, 17, "6f1c.07-16-17"), ("6f1c", 0, 17, "6f1c-0-17"),
        ] as [(String, UInt64, UInt64, String)])
    func written(epoch: String, durable: UInt64, cursor: UInt64, text: String) throws {
        let place = StreamPlace(epoch: epoch, durable: tick(durable), cursor: tick(cursor))
        #expect(place.text == text)
        #expect(StreamPlace(text) == place)
        #expect(try text.contains(Regex(StreamPlace.pattern)))
    }

    @Test("a timetoken alone is of no store")
    func bare() throws {
        let place = try #require(StreamPlace("17952187953729298"))
        #expect(place.epoch == nil && place.durable == place.cursor)
        #expect(place.text == "17952187953729298")
    }

    @Test(
        "what is no id is none",
        arguments: [
            "", "-", "x", "-5", "5-", "6f1c-", "6f1c--5", "6f1c-6-5", "6f1c-1-2-3", "6F1C-5",
            "6f1c -5", "6f1c-5x", "é-5", "6f1c-12345678901234567890",
        ])
    func wrong(text: String) { #expect(StreamPlace(text) == nil) }

    @Test(
        "who comes from another store begins with this run, or now where that is too far back",
        arguments: [
            (["read"], "foreign.b-17", "\(AccessBench.now)"),
            (["read", "history"], "foreign.b-17", "1"),
            (["read"], "beyond.b-17", "\(AccessBench.now)"),
        ])
    func anew(rights: [String], id: String, place: String) throws {
        var keyset = AccessBench.keyset
        keyset.webKeys = AccessBench.webKeys
        let bench = AccessBench(keyset: keyset)
        func ask(_ id: String) throws -> String {
            let place = "channel=room&keyset=sub&cursor=\(id)"
            let token = AccessBench.webToken(rights)
            let response = try #require(
                bench.ask(
                    bench.newConnection(), "/v1/stream?\(place)&token=\(token)", token: nil))
            return "\(response.status) " + String(decoding: response.body, as: UTF8.self)
        }
        #expect(try ask(id) == "200 event: reset\ndata: {}\nid: e.f-\(place)\n\n")
        // One of this store is taken as it is.
        #expect(
            try ask("e.f-\(AccessBench.now)") == "200 id: e.f-\(AccessBench.now)\n\n")
    }
}
