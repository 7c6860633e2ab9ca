// Damaged and forged symbols: refused or left undecoded, never believed, never endless.

import Basis
import Testing

@testable import EventModel

@Suite("Hostile symbols")
struct HostileSymbolsTests {
    /// What a decoder that met something odd may do.
    private func outcome(
        _ decoder: inout RatelessDecoder, _ symbols: [CodedSymbol]
    ) -> RepairError? {
        do throws(RepairError) {
            for symbol in symbols { try decoder.add(remote: symbol, local: .empty) }
            return nil
        } catch {
            return error
        }
    }

    @Test("a flipped bit is never believed", arguments: UInt64(1)...200)
    func flipped(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pair = Pair(seed: seed, common: 0, onlyRemote: 12, onlyLocal: 0, symbols: 200)
        var symbols = pair.remote.symbols
        let index = generator.below(20)
        switch generator.below(4) {
        case 0: symbols[index].timetokens ^= 1 << UInt64(generator.below(64))
        case 1: symbols[index].tags ^= 1 << UInt32(generator.below(32))
        case 2: symbols[index].checksums ^= 1 << UInt32(generator.below(32))
        default: symbols[index].count ^= 1 << Int64(generator.below(63))
        }
        var decoder = RatelessDecoder(key: pair.key, symbolsMax: 200)

        let error = outcome(&decoder, symbols)

        #expect(error == .inconsistent || (error == nil && !decoder.isDecoded), "seed \(seed)")
        #expect(!decoder.isDecoded)
    }

    @Test("symbols of two sets are never believed", arguments: UInt64(1)...50)
    func torn(seed: UInt64) {
        let first = Pair(seed: seed, common: 0, onlyRemote: 10, onlyLocal: 0, symbols: 200)
        var later = first.remote
        var generator = SeededGenerator(seed: seed + 1000)
        later.insert(generator.items(1, key: first.key)[0])
        var decoder = RatelessDecoder(key: first.key, symbolsMax: 200)

        let error = outcome(
            &decoder, Array(first.remote.symbols.prefix(8) + later.symbols.dropFirst(8)))

        // The newer item may be in none of the later symbols: then all of them are of the first.
        let isFirst = Set(decoder.onlyRemote) == first.onlyRemote && decoder.onlyLocal.isEmpty
        #expect(error == .inconsistent || !decoder.isDecoded || isFirst, "seed \(seed)")
    }

    @Test("random symbols end in bounded time, with every key known", arguments: UInt64(1)...50)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let key = generator.key()
        // Pure ones everywhere: each gives an item away that the others deny.
        let symbols = (0..<400).map { _ in
            var symbol = CodedSymbol.empty
            for item in generator.items(generator.below(3), key: key) {
                symbol.add(item, sign: generator.chance(50) ? 1 : -1)
            }
            if generator.chance(20) { symbol.count = Int64(bitPattern: generator.next()) }
            return symbol
        }
        var decoder = RatelessDecoder(key: key, symbolsMax: 400)

        let error = outcome(&decoder, symbols)

        #expect(error != nil || !decoder.isDecoded)
        #expect(decoder.onlyRemote.count + decoder.onlyLocal.count <= symbols.count)
        #expect((0...400).contains(decoder.likelySymbolCount))
    }

    @Test("an item that symbol 0 denies and a later symbol shows is not believed")
    func denied() {
        var generator = SeededGenerator(seed: 5)
        let key = generator.key()
        let item = generator.items(1, key: key)[0]
        var plus = CodedSymbol.empty
        plus.add(item, sign: 1)
        var mapping = item.mapping
        mapping.advance()
        let symbols = (0...mapping.index).map { $0 == mapping.index ? plus : .empty }
        var decoder = RatelessDecoder(key: key, symbolsMax: 100_000)

        #expect(outcome(&decoder, symbols) == .inconsistent)
        #expect(!decoder.isDecoded)
    }

    @Test("a failed decoder stays failed")
    func sticky() throws {
        var generator = SeededGenerator(seed: 6)
        let key = generator.key()
        var symbol = CodedSymbol.empty
        symbol.add(generator.items(1, key: key)[0], sign: 1)
        var decoder = RatelessDecoder(key: key, symbolsMax: 10)
        try decoder.add(remote: .empty, local: .empty)
        #expect(decoder.isDecoded)

        #expect(throws: RepairError.inconsistent) {
            try decoder.add(remote: symbol, local: .empty)
        }
        #expect(throws: RepairError.inconsistent) {
            try decoder.add(remote: .empty, local: .empty)
        }
        #expect(!decoder.isDecoded)
    }

    @Test("more differences than the agreed symbols tell are an error")
    func tooMany() {
        let pair = Pair(seed: 8, common: 10, onlyRemote: 100, onlyLocal: 100, symbols: 60)
        var decoder = RatelessDecoder(key: pair.key, symbolsMax: 50)

        #expect(outcome(&decoder, pair.remote.symbols) == .tooManySymbols)
        #expect(!decoder.isDecoded)
    }

    @Test("another key decodes nothing")
    func otherKey() {
        let pair = Pair(seed: 8, common: 0, onlyRemote: 5, onlyLocal: 0, symbols: 60)
        var generator = SeededGenerator(seed: 99)
        var decoder = RatelessDecoder(key: generator.key(), symbolsMax: 60)

        #expect(outcome(&decoder, pair.remote.symbols) == nil)
        #expect(!decoder.isDecoded)
        #expect(decoder.onlyRemote.isEmpty)
    }
}
