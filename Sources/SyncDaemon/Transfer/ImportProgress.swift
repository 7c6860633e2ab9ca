// How far an import came, as the store keeps it beside the rows of the same commit.

import EventModel
import JSON

/// What a later run of the same import needs to go on.
struct ImportProgress: Hashable {
    /// The file's first line, which names it.
    var head: String
    /// The tenant in whose place the file's is put.
    var into: String?
    /// Behind the last line that was taken, in bytes and counted from 1.
    var offset: Int64
    var line: Int
    /// Of the commit that it is of: a store that opens at another one was a daemon's meanwhile.
    var ceiling = Timetoken.zero
    /// What was read.
    var counts = TransferCounts()
    var outcome = Merge.Outcome()
    /// The channel that was not over.
    var part: ChannelPart?
}

/// What was read of a channel so far.
struct ChannelPart: Hashable {
    var head: ChannelHead
    var counts = TransferCounts()
    /// Under the file's key, and under the store's.
    var digest = Digest.empty
    var own = Digest.empty
    var sum = LineSum()
    /// Contradictions that were passed over before it.
    var keptBefore = 0
}

extension ImportProgress {
    /// Whether it says where an import goes on that would begin so otherwise.
    ///
    /// What a daemon did since may contradict rows that were taken: then all are looked at again.
    ///
    /// - Parameter size: Bytes of the other's file, in which the place has to be; `nil`: nobody
    ///   knows.
    func isPlace(of other: ImportProgress, in store: some Store, size: Int64?) -> Bool {
        guard size.map({ offset <= $0 }) ?? true else { return false }
        return ExactText(head) == ExactText(other.head) && ceiling == store.last
            && into.map(ExactText.init) == other.into.map(ExactText.init)
    }

    /// Reads what ``text`` wrote; anything else is `nil`.
    init?(_ text: String) {
        guard let json = try? JSONValue(parsing: text), let head = json.member("head")?.string,
            let offset = json.member("offset")?.integer, let line = json.member("line")?.integer,
            let ceiling = json.member("ceiling")?.string.flatMap({ Timetoken($0) }),
            let counts = json.member("counts").flatMap(TransferCounts.init(progress:)),
            let outcome = json.member("outcome").flatMap(Merge.Outcome.init)
        else { return nil }
        self.init(
            head: head, into: json.member("into")?.string, offset: offset, line: Int(line),
            ceiling: ceiling, counts: counts, outcome: outcome)
        guard let part = json.member("part") else { return }
        guard let read = ChannelPart(part) else { return nil }
        self.part = read
    }

    var text: String {
        var json = JSONWriter(reserving: 1024)
        json.beginObject()
        json.member("head", head)
        json.member("into", into)
        json.member("offset", offset)
        json.member("line", line)
        json.member("ceiling", quoted: ceiling.rawValue)
        json.name("counts")
        counts.write(into: &json)
        json.beginObject("outcome")
        json.member("written", outcome.written)
        json.member("already", outcome.already)
        json.member("kept", outcome.kept)
        json.member("leftOut", outcome.leftOut)
        json.member("examples", outcome.examples)
        json.endObject()
        if let part {
            json.name("part")
            part.write(into: &json)
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension ChannelPart {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json.member("channel")?.string, let keyset = json.member("keyset")?.string,
            let key = json.member("key")?.string.flatMap({ DigestKey($0) }),
            let counts = json.member("counts").flatMap(TransferCounts.init(progress:)),
            let digest = Digest(json, "digest"), let own = Digest(json, "own"),
            let sum = json.member("sum")?.string.flatMap({ UInt64($0) }),
            let kept = json.member("keptBefore")?.integer
        else { return nil }
        self.init(
            head: ChannelHead(channel: Channel(name, keyset: keyset), key: key), counts: counts,
            digest: digest, own: own, sum: LineSum(value: sum), keptBefore: Int(kept))
    }

    fileprivate func write(into json: inout JSONWriter) {
        json.beginObject()
        json.member("channel", head.channel.name)
        json.member("keyset", head.channel.keyset)
        json.member("key", head.key.text)
        json.name("counts")
        counts.write(into: &json)
        digest.write(into: &json, "digest")
        own.write(into: &json, "own")
        json.member("sum", quoted: sum.value)
        json.member("keptBefore", keptBefore)
        json.endObject()
    }
}

extension Digest {
    fileprivate init?(_ json: JSONValue, _ name: String) {
        guard let value = json.member(name), let count = value.member("count")?.integer,
            let text = value.member("text")?.string
        else { return nil }
        self.init(text, count: count)
    }

    fileprivate func write(into json: inout JSONWriter, _ name: StaticString) {
        json.beginObject(name)
        json.member("count", count)
        json.member("text", text)
        json.endObject()
    }
}

extension TransferCounts {
    private static let fields: [any WritableKeyPath<TransferCounts, Int> & Sendable] = [
        \.channels, \.messages, \.actions, \.removed, \.marks, \.deletions, \.clearings, \.others,
        \.devices, \.files,
    ]

    fileprivate init?(progress json: JSONValue) {
        guard json.isArray, json.count == Self.fields.count else { return nil }
        self.init()
        for (index, field) in Self.fields.enumerated() {
            guard let number = json.element(at: index).integer else { return nil }
            self[keyPath: field] = Int(number)
        }
    }

    fileprivate func write(into json: inout JSONWriter) {
        json.beginArray()
        for field in Self.fields { json.integer(self[keyPath: field]) }
        json.endArray()
    }
}

extension Merge.Outcome {
    fileprivate init?(_ json: JSONValue) {
        guard let written = json.member("written")?.integer,
            let already = json.member("already")?.integer,
            let kept = json.member("kept")?.integer, let examples = json.member("examples"),
            let leftOut = json.member("leftOut")?.integer
        else { return nil }
        self.init(
            written: Int(written), already: Int(already), kept: Int(kept), leftOut: Int(leftOut),
            examples: (0..<examples.count).compactMap { examples.element(at: $0).string })
    }
}
