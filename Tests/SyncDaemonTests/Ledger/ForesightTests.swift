// A store far away is asked beforehand: whatever a batch holds, it decides as on a file.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("What a batch needs is asked beforehand")
struct ForesightTests {
    private let directory: ScratchDirectory
    private let near: LedgerBench
    private let far: LedgerBench
    private let channels = [Channel("room"), Channel("den", keyset: "demo")]

    init() throws {
        directory = try ScratchDirectory()
        near = LedgerBench(
            try StoreUnderTest.sqlite.make(in: directory), deletedRowsMax: 6)
        far = LedgerBench(
            try StoreUnderTest.postgres.make(in: directory), deletedRowsMax: 6)
    }

    /// Few keys, so that most of a batch is about the same ones.
    private func operation(_ choices: inout SeededGenerator) -> Write.Operation {
        var rules = ReactionRules()
        rules.mode = [.distinct, .multiple, .unique, .total][choices.below(4)]
        if choices.below(3) == 0 { rules.aliases = [.init(name: "love", value: "❤️")] }
        // Equal to people, and other bytes.
        let values = ["👍", "love", "❤️", "caf\u{e9}", "cafe\u{301}"]
        let message = UInt64(1000 + choices.below(4))
        let key = MessageAction.Key.on(message, values[choices.below(values.count)])
        switch choices.below(20) {
        case 0...2: return .publish(.numbered(UInt64(choices.below(100))))
        case 3...11: return .add(key, score: nil, under: rules)
        case 12...16: return .remove(key, observed: nil, under: rules)
        case 17:
            let end = tick(message)
            return .deleteMessages(after: tick(message - 1), through: end)
        case 18: return .clear(Clearing(userID: "ada"))
        default: return .deleteMessages(after: .zero, through: tick(1001))
        }
    }

    @Test("a batch is decided as if each write had been asked for alone", arguments: 0..<12)
    func batches(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        for round in 0..<15 {
            let writes = (0..<choices.below(25) + 1).map { number in
                write(
                    operation(&choices),
                    // Now and then the retry of another, in the same batch or an earlier one.
                    mutation: choices.below(3) == 0 ? nil : "m\(choices.below(60))",
                    command: CommandID(number), channel: channels[choices.below(2)],
                    device: "phone \(choices.below(4))")
            }
            near.wall += 100
            far.wall += 100
            let (expected, found) = (near.commit(writes), far.commit(writes))
            #expect(found.answers == expected.answers, "round \(round)")
            #expect(found.events.map(\.asStored) == expected.events.map(\.asStored))
            #expect(found.digests.keys == expected.digests.keys)
            while near.hasWork || far.hasWork {
                let (expected, found) = (near.work(), far.work())
                #expect(found?.answers == expected?.answers)
            }
            for channel in channels {
                for message in (1000..<1004).map({ tick($0) }) {
                    #expect(
                        try far.store.values(on: message, in: channel)
                            == near.store.values(on: message, in: channel))
                }
            }
        }
        #expect(far.failure == nil)
    }
}
