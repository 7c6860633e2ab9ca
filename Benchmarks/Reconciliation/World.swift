// A channel as people fill it: reactions of some thousand users, each with a timetoken of its own.

import Basis
import EventModel

struct World {
    let key: DigestKey
    let rows: [MessageAction]
    let items: [RepairItem]
    private var generator: SeededGenerator
    private var clock: UInt64 = 17_952_187_953_729_261

    init(rowCount: Int, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        let key = DigestKey.random(using: &generator)
        self.key = key
        var rows: [MessageAction] = []
        for _ in 0..<rowCount {
            rows.append(World.row(&generator, &clock))
        }
        self.rows = rows
        items = rows.map { RepairItem($0, key: key) }
    }

    /// A row that was never there before.
    mutating func newRow() -> MessageAction {
        World.row(&generator, &clock)
    }

    private static func row(_ generator: inout SeededGenerator, _ clock: inout UInt64)
        -> MessageAction
    {
        clock += UInt64.random(in: 1...100_000_000, using: &generator)
        let age = UInt64.random(in: 10_000_000...36_000_000_000, using: &generator)
        let values = ["👍", "❤️", "😂", "😲", "😢", "🔥"]
        return MessageAction(
            key: MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: clock - age), type: "reaction",
                value: values[Int.random(in: 0..<values.count, using: &generator)],
                uuid: "user-\(Int.random(in: 1000..<6000, using: &generator))"),
            actionTimetoken: Timetoken(rawValue: clock))
    }
}
