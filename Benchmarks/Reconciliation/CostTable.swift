// Nanoseconds per step of digests, items and symbol prefixes.

import EventModel

enum CostTable {
    static func measure(_ world: World) -> [(step: String, nanoseconds: Double)] {
        let rounds = 5
        let count = Double(world.rows.count * rounds)
        var digest = Digest()
        let update = time {
            for _ in 0..<rounds { for row in world.rows { digest.insert(row, key: world.key) } }
        }
        let hashes = world.rows.map { RowHash($0, key: world.key) }
        let removal = time {
            for _ in 0..<rounds { for hash in hashes { digest.remove(hash) } }
        }
        precondition(digest == .empty)
        var tags: UInt32 = 0
        let item = time {
            for _ in 0..<rounds {
                for row in world.rows { tags ^= RepairItem(row, key: world.key).tag }
            }
        }
        let steps = [
            ("digest: hash a row and add it", update.nanoseconds / count),
            ("digest: add or remove a hash", removal.nanoseconds / count),
            ("item: hash a row and its item", item.nanoseconds / count),
        ]
        return steps + [128, 512, 2048].map { measurePrefix(world, length: $0) }
    }

    private static func measurePrefix(_ world: World, length: Int) -> (String, Double) {
        var prefix = RatelessEncoder(0..<length)
        let change = time {
            for item in world.items { prefix.insert(item) }
            for item in world.items { prefix.remove(item) }
        }
        precondition(prefix == RatelessEncoder(0..<length))
        return (
            "prefix of \(length) symbols: insert or remove an item",
            change.nanoseconds / Double(2 * world.items.count)
        )
    }

    static func print(_ steps: [(step: String, nanoseconds: Double)]) {
        printTable(
            ["step", "ns"],
            steps.map { [$0.step, decimal($0.nanoseconds, $0.nanoseconds < 10 ? 1 : 0)] })
    }
}
