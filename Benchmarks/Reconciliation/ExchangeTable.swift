// Whole repairs in bytes: symbols, rows and timetokens, with the pacing that the decoder advises.

import EventModel

enum ExchangeTable {
    /// Symbols of the first question, when nothing is known of the difference.
    private static let firstSymbols = 32

    /// What one side sent in base64, and how often it was asked.
    struct Exchange {
        var symbols = 0
        var rows = 0
        var drops = 0
        var questions = 0
    }

    static func measure(_ world: World) throws -> [(differences: Int, exchanges: [Exchange])] {
        try [(10, 1000), (100, 500), (1000, 100)].map { differences, trials in
            var world = world
            var common = RatelessEncoder(0..<8192)
            for item in world.items { common.insert(item) }
            let exchanges = try (0..<trials).map { _ in
                try exchange(&world, common, differences: differences)
            }
            return (differences, exchanges)
        }
    }

    /// Half of the differences are rows to fetch, half are rows to drop.
    private static func exchange(
        _ world: inout World, _ common: RatelessEncoder, differences: Int
    ) throws -> Exchange {
        var (server, device) = (common, common)
        var fetched: [MessageAction] = []
        for index in 0..<differences {
            let row = world.newRow()
            if index.isMultiple(of: 2) { fetched.append(row) }
            let item = RepairItem(row, key: world.key)
            if index.isMultiple(of: 2) { server.insert(item) } else { device.insert(item) }
        }
        var exchange = Exchange()
        var decoder = RatelessDecoder(key: world.key, symbolsMax: 8192)
        var next = firstSymbols
        while !decoder.isDecoded {
            let run = server.run(decoder.symbolCount..<next)
            exchange.questions += 1
            exchange.symbols += run.text.utf8.count
            for (offset, symbol) in run.symbols.enumerated() {
                try decoder.add(remote: symbol, local: device.symbol(at: run.first + offset))
            }
            next = decoder.likelySymbolCount
        }
        exchange.rows = base64Count(PackedActions.bytes(fetched))
        exchange.drops = base64Count(PackedActions.bytes(decoder.onlyLocal.map(\.timetoken)))
        return exchange
    }

    private static func base64Count(_ bytes: [UInt8]) -> Int {
        (bytes.count + 2) / 3 * 4
    }

    static func print(_ table: [(differences: Int, exchanges: [Exchange])]) {
        printTable(
            [
                "differences", "symbols, mean", "symbols, p99", "rows", "timetokens to drop",
                "runs of symbols, mean", "at most",
            ],
            table.map { differences, exchanges in
                let symbols = exchanges.map(\.symbols).sorted()
                let high = symbols[symbols.count * 99 / 100]
                return [
                    "\(differences)", mean(symbols, 0), "\(high)", mean(exchanges.map(\.rows), 0),
                    mean(exchanges.map(\.drops), 0), mean(exchanges.map(\.questions), 2),
                    "\(exchanges.map(\.questions).max() ?? 0)",
                ]
            })
    }

    private static func mean(_ values: [Int], _ digits: Int) -> String {
        decimal(Double(values.reduce(0, +)) / Double(values.count), digits)
    }
}
