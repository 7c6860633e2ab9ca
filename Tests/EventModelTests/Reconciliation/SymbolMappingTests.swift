// The mapping: the documented indices, and the density that makes decoding work.

import Basis
import Testing

@testable import EventModel

@Suite("Symbol mapping")
struct SymbolMappingTests {
    @Test("an item is in the documented symbols")
    func golden() throws {
        let key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
        let action = MessageAction(
            key: MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction",
                value: "👍", uuid: "ada"),
            actionTimetoken: Timetoken(rawValue: 17_952_187_953_730_012))
        let item = RepairItem(action, key: key)

        #expect(item.tag == 0xd2b8_2554)
        #expect(item.seed == 0xfd32_2756_a8e6_3e7e)
        #expect(item.checksum == 0x2404_8f42)
        var mapping = item.mapping
        for index in [0, 1, 4, 5, 6, 12, 121, 800, 5677] {
            #expect(mapping.index == index)
            mapping.advance()
        }
    }

    @Test("symbol i holds an item with probability 1 / (1 + i / 2)")
    func density() {
        var generator = SeededGenerator(seed: 1)
        let trials = 40_000
        var hits = Array(repeating: 0, count: 64)
        for _ in 0..<trials {
            var mapping = SymbolMapping(seed: generator.next())
            while mapping.index < hits.count {
                hits[mapping.index] += 1
                mapping.advance()
            }
        }

        for (index, hits) in hits.enumerated() {
            let density = 2 / (Double(index) + 2)
            let mean = density * Double(trials)
            let deviation = (mean * (1 - density)).squareRoot()
            #expect(abs(Double(hits) - mean) <= 4.5 * deviation, "index \(index): \(hits)")
        }
    }

    @Test("indices ascend, for the seeds at the edges too", arguments: [0, 1, .max, 1 << 63])
    func ascends(seed: UInt64) {
        var mapping = SymbolMapping(seed: seed)
        while mapping.index < RatelessEncoder.indexMax {
            let index = mapping.index
            mapping.advance()
            #expect(mapping.index > index)
        }
    }
}
