// A dictionary of many parts: it agrees with one of a single part.

import Testing

@testable import Basis

@Suite("Dictionary of many parts")
struct ShardedDictionaryTests {
    @Test("it agrees with a dictionary, whatever is done to both", arguments: UInt64(1)...8)
    func agrees(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = ShardedDictionary<Int, [Int]>()
        var model: [Int: [Int]] = [:]
        for number in 0..<5000 {
            let key = generator.below(700)
            switch generator.below(4) {
            case 0:
                table[key] = [number]
                model[key] = [number]
            case 1:
                table[key, default: [-1]].append(number)
                model[key, default: [-1]].append(number)
            case 2:
                table[key] = nil
                model[key] = nil
            default:
                #expect(table[key] == model[key])
                #expect(table[key, default: [7]] == model[key, default: [7]])
            }
        }
        #expect(table.count == model.count)
        #expect(table.values.map(\.count).sorted() == model.values.map(\.count).sorted())
        #expect(Dictionary(uniqueKeysWithValues: table.entries.map { ($0, $1) }) == model)
    }

    @Test("its parts are about equally large")
    func isEven() {
        var table = ShardedDictionary<String, Int>()
        for number in 0..<25_600 { table["room-\(number)"] = number }
        let sizes = table.shards.map(\.count)
        #expect(sizes.reduce(0, +) == 25_600)
        #expect((20...300).contains(sizes.min() ?? 0) && sizes.allSatisfy { $0 < 300 })
    }
}
