// A short run of every fuzzer, without libFuzzer: its corpus, and what becomes of it by chance.

import Basis
import Foundation
import FuzzTargets
import Testing

@Suite("Fuzzers, in short")
struct CorpusTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "corpus")

    /// The inputs of a target by their names.
    private static func corpus(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map {
            ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0)))
        }
    }

    @Test("each input of the corpus is as it has to be", arguments: FuzzTarget.all.map(\.name))
    func corpus(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Self.corpus(name)

        #expect(inputs.count >= 5)
        for input in inputs {
            #expect(input.bytes.count <= target.bytesMax, "\(input.name) is not read")
            #expect(throws: Never.self, "\(name)/\(input.name)") { try target.check(input.bytes) }
        }
    }

    @Test("so is each of 2,000 mutations", arguments: FuzzTarget.all.map(\.name))
    func mutations(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = try Self.corpus(name).map(\.bytes)
        var mutator = InputMutator(seeds: seeds, seed: 1)

        for number in 1...2000 {
            let input = mutator.next()
            do throws(Finding) {
                try target.check(input)
            } catch {
                let text = Data(input).base64EncodedString()
                Issue.record("\(name), mutation \(number), in base64 \(text): \(error)")
                return
            }
        }
    }

    @Test("every folder of the corpus is a target's")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}

/// Changes inputs a little, from one seed.
private struct InputMutator {
    let seeds: [[UInt8]]
    private var chance: SeededGenerator

    init(seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        chance = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = chance.pick(seeds)
        for _ in 0...chance.below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let position = chance.below(bytes.count + 1)
        let end = min(bytes.count, position + chance.below(12))
        switch chance.below(6) {
        case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(chance.below(8))
        case 1: bytes.removeSubrange(position..<end)
        case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 3: bytes.insert(UInt8(chance.below(256)), at: position)
        case 4:
            let other = chance.pick(seeds)
            let start = chance.below(other.count + 1)
            let part = other[start..<min(other.count, start + chance.below(30))]
            bytes.replaceSubrange(position..<end, with: part)
        default:
            let odd: [UInt8] = [0, 0x7F, 0x80, 0xFF, 0x0A, 0x0D, 0x20, 0x25, 0x2E, 0x22]
            if position < bytes.count { bytes[position] = chance.pick(odd) }
        }
    }
}
