// What goes over the link between daemons comes out as it went in; anything else is refused.

import EventModel
import Testing

@testable import SyncDaemon

@Suite struct LinkCodableTests {
    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 62, .max] as [UInt64])
    func numbersKeepTheirValue(number: UInt64) throws {
        try expectSame(number)
        try expectSame(Int64(bitPattern: number))
        try expectSame(Int64(bitPattern: ~number))
    }

    @Test(arguments: [
        "", "a", "é", "e\u{301}", "👩‍👩‍👧", "\0", String(repeating: "x", count: 40_000),
    ])
    func textsKeepTheirBytes(text: String) throws {
        let copy = try decoded(String.self, encoded(text))
        #expect(Array(copy.utf8) == Array(text.utf8))
    }

    @Test(arguments: LinkSamples.events) func eventsKeepTheirValue(event: Event) throws {
        for (isStored, gone) in [(true, Digest?.none), (false, LinkSamples.digest)] {
            try expectSame(
                Envelope(
                    channel: LinkSamples.channel, timetoken: Timetoken(rawValue: 17), uuid: "ann",
                    event: event, isStored: isStored, gone: gone))
        }
    }

    @Test(arguments: LinkSamples.operations)
    func writesKeepTheirValue(operation: Write.Operation) throws {
        for mutation in [nil, "m1"] {
            try expectSame(
                Write(
                    origin: LinkSamples.origin, author: LinkSamples.author,
                    channel: LinkSamples.channel, operation: operation, mutation: mutation,
                    hoursAsked: mutation == nil ? 3 : nil, isOfServer: mutation == nil))
        }
    }

    @Test func anInterceptorsChangeKeepsTheFingerprintOfTheQuestion() throws {
        let asked = Write(
            origin: LinkSamples.origin, author: LinkSamples.author, channel: LinkSamples.channel,
            operation: .publish(Message(payload: "1")), mutation: "m1")
        let changed = asked.changed(to: .publish(Message(payload: "2")))
        #expect(try decoded(Write.self, encoded(changed)).fingerprint == asked.fingerprint)
    }

    @Test(arguments: LinkSamples.replies) func answersKeepTheirValue(reply: Reply) throws {
        try expectSame(Answer(origin: LinkSamples.origin, result: .success(reply)))
    }

    @Test func refusalsKeepTheirValue() throws {
        for error in [ProtocolError.overloaded, .storeDamaged, .noSuchMessage] {
            try expectSame(Answer(origin: LinkSamples.origin, result: .failure(error)))
        }
    }

    @Test func stepsKeepWhatFollowersNeed() throws {
        let step = LinkSamples.step
        let copy = try decoded(Commit.self, encoded(step))
        #expect(copy.events == step.events)
        #expect(copy.digests == step.digests)
        #expect(copy.groups == step.groups)
        #expect(copy.revoked == step.revoked)
        #expect(copy.forgottenRevoked == step.forgottenRevoked)
        #expect(copy.keyGrants == step.keyGrants)
        #expect(copy.forgottenKeyGrants == step.forgottenKeyGrants)
        #expect(copy.readMarks == step.readMarks)
        #expect(copy.last == step.last)
        #expect(copy.durable == step.durable)
        #expect(copy.ceiling == step.ceiling)
        #expect(copy.answers.isEmpty, "An answer is for one daemon.")
    }

    @Test func whatIsCutOffIsRefused() {
        let bytes = encoded(LinkSamples.step)
        for count in 0..<bytes.count {
            #expect(throws: LinkError.self) { try decoded(Commit.self, Array(bytes[..<count])) }
        }
    }

    /// What comes of a byte that is another one may be wrong, but never more than its bytes hold.
    @Test func anyBytesAreReadOrRefused() {
        let bytes = encoded(LinkSamples.step)
        for index in bytes.indices {
            for mask in [0x01, 0x80, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[index] ^= mask
                guard let copy = try? decoded(Commit.self, damaged) else { continue }
                #expect(copy.events.count <= bytes.count)
            }
        }
    }

    @Test(
        arguments: [
            [0x80, 0x00],  // two bytes for what one says
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],  // 65 bits
            [0x80],
        ] as [[UInt8]])
    func otherFormsOfANumberAreRefused(bytes: [UInt8]) {
        #expect(throws: LinkError.self) { try decoded(UInt64.self, bytes) }
    }

    @Test func aLengthBeyondTheBytesIsRefused() {
        var writer = LinkWriter()
        writer.put(UInt64(1 << 40))
        let bytes = writer.bytes
        #expect(throws: LinkError.self) { try decoded([Timetoken].self, bytes) }
        #expect(throws: LinkError.self) { try decoded(String.self, bytes) }
    }

    private func expectSame<Value: LinkCodable & Equatable>(
        _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let copy = try decoded(Value.self, encoded(value))
        #expect(copy == value, sourceLocation: sourceLocation)
    }

    private func encoded(_ value: some LinkCodable) -> [UInt8] {
        var writer = LinkWriter()
        writer.put(value)
        return writer.bytes
    }

    private func decoded<Value: LinkCodable>(
        _ type: Value.Type, _ bytes: [UInt8]
    ) throws(LinkError) -> Value {
        var reader = LinkReader(bytes[...])
        let value = try reader.value(type)
        guard reader.isAtEnd else { throw LinkError() }
        return value
    }
}
