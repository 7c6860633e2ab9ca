// Runs of symbols, rows and timetokens as bytes and text: read back as written, or refused.

import Basis
import Foundation
import Testing

@testable import EventModel

@Suite("Repairs on the wire")
struct RepairWireTests {
    @Test("a run of symbols is read back as it was written", arguments: UInt64(1)...20)
    func symbols(seed: UInt64) throws {
        let pair = Pair(seed: seed, common: 400, onlyRemote: 3, onlyLocal: 0, symbols: 60)
        let run = pair.remote.run(5..<60)

        let read = try SymbolRun(
            first: 5, itemCount: run.itemCount, text: run.text, symbolsMax: 55)

        #expect(read == run)
        #expect(run.itemCount == 403)
        #expect(run.symbols == Array(pair.remote.symbols[5...]))
        #expect(run.bytes.count <= 55 * 18)
    }

    @Test("counts at the edges of their range survive", arguments: [Int64.min, -1, 0, 1, .max])
    func extremes(count: Int64) throws {
        var symbol = CodedSymbol.empty
        symbol.count = count
        for items in [0, 1, Int64.max] {
            let run = SymbolRun(first: 3, itemCount: items, symbols: [symbol, symbol])

            let read = try SymbolRun(
                first: 3, itemCount: items, bytes: run.bytes, symbolsMax: 2)

            #expect(read == run)
        }
    }

    @Test("a cut run, a long one and impossible arguments are refused")
    func malformedRuns() throws {
        let run = Pair(seed: 1, common: 40, onlyRemote: 0, onlyLocal: 0, symbols: 4).remote.run(
            0..<4)
        func read(_ bytes: [UInt8], first: Int = 0, items: Int64 = 40, max: Int = 4) throws {
            _ = try SymbolRun(first: first, itemCount: items, bytes: bytes, symbolsMax: max)
        }

        #expect(throws: RepairError.malformed) { try read(Array(run.bytes.dropLast())) }
        #expect(throws: RepairError.malformed) { try read(run.bytes, max: 3) }
        #expect(throws: RepairError.malformed) { try read(run.bytes, first: -1) }
        #expect(throws: RepairError.malformed) { try read(run.bytes, first: .max) }
        #expect(throws: RepairError.malformed) { try read(run.bytes, items: -1) }
        #expect(throws: RepairError.malformed) {
            try read(run.bytes.dropLast() + Array(repeating: 0xFF, count: 20))
        }
        #expect(throws: RepairError.malformed) {
            _ = try SymbolRun(first: 0, itemCount: 40, text: "AAA", symbolsMax: 4)
        }
    }

    @Test("rows are read back, ascending, texts byte for byte", arguments: UInt64(1)...30)
    func rows(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rows = (0..<generator.below(60)).map { _ in generator.row() }

        let read = try PackedActions.actions(PackedActions.bytes(rows), actionsMax: 60)

        #expect(read == rows.sorted { $0.actionTimetoken < $1.actionTimetoken })
    }

    @Test("timetokens are read back, ascending", arguments: UInt64(1)...30)
    func timetokens(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let timetokens = (0..<generator.below(60)).map { _ in generator.row().actionTimetoken }

        let bytes = PackedActions.bytes(timetokens)

        #expect(try PackedActions.timetokens(bytes, timetokensMax: 60) == timetokens.sorted())
    }

    @Test(
        "bytes that nobody wrote are refused",
        arguments: [
            [], [1], [2, 1, 97], [1, 5, 97], [1, 1, 0xFF], [0, 1], [0, 0, 0, 0, 0, 0],
            [1, 1, 97, 1, 0, 0, 0], [1, 1, 97, 1, 0, 0, 0, 1], [1, 1, 97, 0, 0, 0, 0, 0],
            [1, 1, 97, 1, 4, 0, 0, 0], [1, 1, 97, 0x81, 0, 0, 0, 0, 0],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            [1, 1, 97, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0],
            // Scores of 0, 1 and one too large, none behind its sign, and two of one row.
            [1, 1, 97, 0, 0, 1, 0, 0, 0, 0], [1, 1, 97, 0, 1, 1, 0, 0, 0, 0],
            [1, 1, 97, 0, 0x81, 0x94, 0xEB, 0xDC, 3, 1, 0, 0, 0, 0], [1, 1, 97, 0],
            [1, 1, 97, 0, 5, 0, 5, 1, 0, 0, 0, 0],
        ] as [[UInt8]])
    func malformedRows(bytes: [UInt8]) {
        #expect(throws: RepairError.malformed) {
            try PackedActions.actions(bytes, actionsMax: 10)
        }
    }

    @Test("any bytes are read or refused, and what is read is within its limit")
    func fuzz() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let bytes = (0..<generator.below(40)).map { _ in
                generator.chance(50) ? UInt8(generator.below(4)) : UInt8(generator.below(256))
            }
            if let rows = try? PackedActions.actions(bytes, actionsMax: 3) {
                #expect(rows.count <= 3)
                #expect(rows.allSatisfy { $0.actionTimetoken.rawValue <= UInt64(Int64.max) })
            }
            if let timetokens = try? PackedActions.timetokens(bytes, timetokensMax: 3) {
                #expect(timetokens.count <= 3)
                #expect(PackedActions.bytes(timetokens) == bytes)
            }
            if let run = try? SymbolRun(first: 0, itemCount: 9, bytes: bytes, symbolsMax: 2) {
                #expect(run.bytes == bytes)
            }
        }
    }

    @Test("base64 is what others write, and nothing else is read", arguments: 0..<50)
    func base64(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8(generator.below(256)) }
        let text = Data(bytes).base64EncodedString()

        #expect(Base64.text(bytes) == text)
        #expect(Base64.bytes(text) == bytes)
    }

    @Test(
        "text that is not base64 is refused",
        arguments: [
            "A", "AA", "AAA", "AA=", "AB==", "AAB=", "=AAA", "A===", "====", "AA=A", "AAA\n",
            "AA-_", "AAAA====", "AA==AAAA", "ÄÄ",
        ])
    func notBase64(text: String) {
        #expect(Base64.bytes(text) == nil)
    }
}
