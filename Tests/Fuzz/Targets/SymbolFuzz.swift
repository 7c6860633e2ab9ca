// What a device sends for a repair, and what the daemon sends back: the packed forms of both.

@testable import EventModel

/// What is read is written the same, and what is decoded explains every symbol.
enum SymbolFuzz {
    private static let key = DigestKey(words: (17, 4))

    static func check(_ bytes: [UInt8]) throws(Finding) {
        try checkRows(bytes)
        guard bytes.count > 3 else { return }
        try checkSets(bytes)
        let first = Int(bytes[0])
        let count = Int64(bytes[1]) << 8 | Int64(bytes[2])
        let rest = Array(bytes[3...])
        guard
            let run = try? SymbolRun(first: first, itemCount: count, bytes: rest, symbolsMax: 64)
        else { return }
        try expect(run.bytes == rest && run.symbols.count <= 64, "\(rest) became \(run.bytes)")
        let again = try? SymbolRun(first: first, itemCount: count, text: run.text, symbolsMax: 64)
        try expect(again == run, "\(run.text) is another run")
        try decode(run.symbols)
    }

    private static func decode(_ symbols: [CodedSymbol]) throws(Finding) {
        var decoder = RatelessDecoder(key: key, symbolsMax: 64)
        do throws(RepairError) {
            for symbol in symbols { try decoder.add(remote: symbol, local: .empty) }
        } catch {
            return try expect(!decoder.isDecoded, "decoded, in spite of \(error)")
        }
        let found = decoder.onlyRemote.map { ($0, 1) } + decoder.onlyLocal.map { ($0, -1) }
        try expect(found.count <= symbols.count, "\(found.count) items in \(symbols.count)")
        try expect((0...64).contains(decoder.likelySymbolCount), "\(decoder.likelySymbolCount)")
        guard decoder.isDecoded else { return }
        var rest = symbols
        for (item, sign) in found {
            var mapping = item.mapping
            while mapping.index < rest.count {
                rest[mapping.index].add(item, sign: Int64(-sign))
                mapping.advance()
            }
        }
        try expect(rest.allSatisfy { $0 == .empty }, "decoded, and \(rest) is left")
    }

    /// Reads the bytes as items of two sets: they are told apart, whatever they are.
    private static func checkSets(_ bytes: [UInt8]) throws(Finding) {
        var sets: [Set<RepairItem>] = [[], []]
        for start in stride(from: 0, through: min(bytes.count, 480) - 12, by: 12) {
            let ticks = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let tag = bytes[start + 8..<start + 12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let item = RepairItem(
                timetoken: Timetoken(rawValue: ticks & (1 << 62 - 1)), tag: tag, key: key)
            sets[Int(ticks & 1)].insert(item)
        }
        let encoders = sets.map { set in
            var encoder = RatelessEncoder(0..<symbolsMax)
            for item in set { encoder.insert(item) }
            return encoder
        }
        var decoder = RatelessDecoder(key: key, symbolsMax: symbolsMax)
        do throws(RepairError) {
            for (remote, local) in zip(encoders[0].symbols, encoders[1].symbols) {
                try decoder.add(remote: remote, local: local)
            }
        } catch {
            throw Finding(description: "\(sets) make symbols that are \(error)")
        }
        // They are 40 at most, and 300 symbols tell 170 apart in 99 of 100 cases.
        try expect(decoder.isDecoded, "\(sets) are not told apart")
        try expect(
            Set(decoder.onlyRemote) == sets[0] && Set(decoder.onlyLocal) == sets[1],
            "\(sets) became \(decoder.onlyRemote) and \(decoder.onlyLocal)")
    }

    private static let symbolsMax = 300

    private static func checkRows(_ bytes: [UInt8]) throws(Finding) {
        if let timetokens = try? PackedActions.timetokens(bytes, timetokensMax: 100) {
            try expect(
                PackedActions.bytes(timetokens) == bytes && timetokens.count <= 100,
                "\(bytes) became \(timetokens)")
        }
        if let actions = try? PackedActions.actions(bytes, actionsMax: 100) {
            let again = try? PackedActions.actions(PackedActions.bytes(actions), actionsMax: 100)
            try expect(again == actions && actions.count <= 100, "\(actions) is not the same")
        }
    }
}
