// Items, and pairs of sets that differ, from one seed.

import Basis
import EventModel

extension SeededGenerator {
    mutating func items(_ count: Int, key: DigestKey) -> [RepairItem] {
        (0..<count).map { _ in RepairItem(row(), key: key) }
    }
}

/// Two sets that hold something in common.
struct Pair {
    let key: DigestKey
    let onlyRemote: Set<RepairItem>
    let onlyLocal: Set<RepairItem>
    let remote: RatelessEncoder
    let local: RatelessEncoder

    init(seed: UInt64, common: Int, onlyRemote: Int, onlyLocal: Int, symbols: Int = 600) {
        var generator = SeededGenerator(seed: seed)
        key = generator.key()
        let common = generator.items(common, key: key)
        self.onlyRemote = Set(generator.items(onlyRemote, key: key))
        self.onlyLocal = Set(generator.items(onlyLocal, key: key))
        var (remote, local) = (RatelessEncoder(0..<symbols), RatelessEncoder(0..<symbols))
        for item in common + self.onlyRemote { remote.insert(item) }
        for item in common + self.onlyLocal { local.insert(item) }
        self.remote = remote
        self.local = local
    }

    /// Feeds symbol after symbol until the difference is known or all are used.
    func decode() throws(RepairError) -> RatelessDecoder {
        var decoder = RatelessDecoder(key: key, symbolsMax: remote.range.count)
        while !decoder.isDecoded, decoder.symbolCount < remote.range.count {
            let index = decoder.symbolCount
            try decoder.add(remote: remote.symbol(at: index), local: local.symbol(at: index))
        }
        return decoder
    }
}
