// The order of action keys: total, the same on every machine, and in step with equality.

import Basis
import EventModel
import Testing

private func key(
    _ ticks: UInt64, _ type: String, _ value: String, _ uuid: String
) -> MessageAction.Key {
    .init(messageTimetoken: Timetoken(rawValue: ticks), type: type, value: value, uuid: uuid)
}

@Suite("MessageAction.Key")
struct ActionKeyTests {
    @Test(
        "the message decides, then the type, the value and the user, by their bytes",
        arguments: [
            (key(1, "z", "z", "z"), key(2, "a", "a", "a")),
            (key(9, "z", "z", "z"), key(10, "a", "a", "a")),
            (key(1, "a", "z", "z"), key(1, "b", "a", "a")),
            (key(1, "a", "a", "z"), key(1, "a", "b", "a")),
            (key(1, "a", "a", "a"), key(1, "a", "a", "b")),
            (key(1, "", "a", "a"), key(1, "a", "a", "a")),
            (key(1, "a", "a", "a"), key(1, "a", "aa", "a")),
            (key(1, "Z", "a", "a"), key(1, "a", "a", "a")),
            (key(1, "a", "\u{FFFD}", "a"), key(1, "a", "👍", "a")),
        ])
    func order(smaller: MessageAction.Key, larger: MessageAction.Key) {
        #expect(smaller < larger)
        #expect(!(larger < smaller))
        #expect(smaller != larger)
    }

    @Test("of two keys one of <, == and > holds, and < is transitive", arguments: UInt64(1)...20)
    func total(seed: UInt64) {
        let keys = randomKeys(["a", "b", "B", "👍", "\u{FFFD}", "\0"], seed: seed)

        for left in keys {
            for right in keys {
                let holds = [left < right, left == right, right < left]
                #expect(holds.count { $0 } == 1, "\(left) and \(right)")
                let isTransitive = keys.allSatisfy { third in
                    !(left < right && right < third) || left < third
                }
                #expect(isTransitive, "\(left) and \(right)")
            }
        }
    }

    @Test("sorting does not depend on where the keys stood", arguments: UInt64(1)...20)
    func sorting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let keys = randomKeys(["a", "b", "👍"], seed: seed)

        #expect(keys.shuffled(using: &generator).sorted() == keys.sorted())
    }

    private func randomKeys(_ pieces: [String], seed: UInt64) -> [MessageAction.Key] {
        var generator = SeededGenerator(seed: seed)
        return (0..<25).map { _ in
            let texts = (0..<3).map { _ in
                (0..<Int.random(in: 0...2, using: &generator))
                    .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            return key(UInt64.random(in: 1...2, using: &generator), texts[0], texts[1], texts[2])
        }
    }
}
