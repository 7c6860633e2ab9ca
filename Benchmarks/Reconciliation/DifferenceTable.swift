// Symbols and bytes per difference, as the paper's section 7.1 has them.

import EventModel

enum DifferenceTable {
    struct Row {
        let differences: Int
        let trials: Int
        /// Needed in each trial, ascending.
        let symbols: [Int]
        let bytes: Int
        let characters: Int
        let encode: Duration
        let decode: Duration

        var symbolsP99: Int { symbols[min(trials * 99 / 100, trials - 1)] }
    }

    static func measure(_ world: World) throws -> [Row] {
        try [(1, 2000), (10, 2000), (100, 1000), (1000, 200), (10_000, 20)].map {
            try measure(world, differences: $0, trials: $1)
        }
    }

    private static func measure(_ world: World, differences: Int, trials: Int) throws -> Row {
        var world = world
        // Long enough for the rare pair of items that shares many symbols.
        let length = differences * 2 + 5000
        var common = RatelessEncoder(0..<length)
        for item in world.items { common.insert(item) }
        var symbols: [Int] = []
        var (bytes, characters) = (0, 0)
        var decode = Duration.zero
        for _ in 0..<trials {
            var sides = [common, common]
            for index in 0..<differences {
                sides[index % 2].insert(RepairItem(world.newRow(), key: world.key))
            }
            var decoder = RatelessDecoder(key: world.key, symbolsMax: length)
            decode += try time {
                while !decoder.isDecoded {
                    let index = decoder.symbolCount
                    try decoder.add(
                        remote: sides[0].symbol(at: index), local: sides[1].symbol(at: index))
                }
            }
            precondition(decoder.onlyRemote.count + decoder.onlyLocal.count == differences)
            symbols.append(decoder.symbolCount)
            let run = sides[0].run(0..<decoder.symbolCount)
            bytes += run.bytes.count
            characters += run.text.utf8.count
        }
        symbols.sort()
        var encoder = RatelessEncoder(0..<symbols[trials / 2])
        let encode = time { for item in world.items { encoder.insert(item) } }
        return Row(
            differences: differences, trials: trials, symbols: symbols, bytes: bytes,
            characters: characters, encode: encode, decode: decode)
    }

    static func print(_ rows: [Row], rowCount: Int) {
        printTable(
            [
                "differences", "trials", "symbols each, mean", "p99", "bytes each",
                "base64 each", "encode, ns per row", "decode, ns per difference",
            ],
            rows.map { row in
                let total = Double(row.differences * row.trials)
                return [
                    "\(row.differences)", "\(row.trials)",
                    decimal(Double(row.symbols.reduce(0, +)) / total),
                    decimal(Double(row.symbolsP99) / Double(row.differences)),
                    decimal(Double(row.bytes) / total, 1),
                    decimal(Double(row.characters) / total, 1),
                    decimal(row.encode.nanoseconds / Double(rowCount), 0),
                    decimal(row.decode.nanoseconds / total, 0),
                ]
            })
    }
}
