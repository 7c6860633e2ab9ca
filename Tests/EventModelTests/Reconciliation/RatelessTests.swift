// Encoder and decoder together: exact differences, one symbol after the other.

import Basis
import EventModel
import Testing

@Suite("Rateless reconciliation")
struct RatelessTests {
    @Test("differences on either side are found exactly", arguments: UInt64(1)...150)
    func exact(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = Pair(
            seed: seed, common: generator.below(300), onlyRemote: generator.below(40),
            onlyLocal: generator.below(40))

        let decoder = try pair.decode()

        #expect(decoder.isDecoded, "seed \(seed)")
        #expect(Set(decoder.onlyRemote) == pair.onlyRemote)
        #expect(Set(decoder.onlyLocal) == pair.onlyLocal)
        #expect(decoder.onlyRemote.count == pair.onlyRemote.count)
        #expect(decoder.onlyLocal.count == pair.onlyLocal.count)
    }

    @Test(
        "equal sets take one symbol, and so does one difference",
        arguments: [(0, 0), (1, 0), (0, 1)])
    func oneSymbol(onlyRemote: Int, onlyLocal: Int) throws {
        let pair = Pair(seed: 7, common: 500, onlyRemote: onlyRemote, onlyLocal: onlyLocal)

        #expect(try pair.decode().symbolCount == 1)
    }

    @Test("the cost depends on the difference, not on the sets")
    func cost() throws {
        let small = Pair(seed: 3, common: 0, onlyRemote: 100, onlyLocal: 100)
        let large = Pair(seed: 3, common: 20_000, onlyRemote: 100, onlyLocal: 100)

        for pair in [small, large] {
            let count = try pair.decode().symbolCount
            #expect((200...RatelessDecoder.symbolCount(differences: 200) * 2).contains(count))
        }
    }

    @Test("a corrupted row is one to fetch and one to drop, under one timetoken")
    func corruption() throws {
        var generator = SeededGenerator(seed: 9)
        let key = generator.key()
        let good = generator.row()
        let bad = MessageAction(
            key: MessageAction.Key(
                messageTimetoken: good.key.messageTimetoken, type: good.key.type, value: "wrong",
                uuid: good.key.uuid), actionTimetoken: good.actionTimetoken)
        var (remote, local) = (RatelessEncoder(0..<50), RatelessEncoder(0..<50))
        for item in generator.items(20, key: key) {
            remote.insert(item)
            local.insert(item)
        }
        remote.insert(RepairItem(good, key: key))
        local.insert(RepairItem(bad, key: key))
        var decoder = RatelessDecoder(key: key, symbolsMax: 50)
        while !decoder.isDecoded {
            let index = decoder.symbolCount
            try decoder.add(remote: remote.symbol(at: index), local: local.symbol(at: index))
        }

        #expect(decoder.onlyRemote == [RepairItem(good, key: key)])
        #expect(decoder.onlyLocal == [RepairItem(bad, key: key)])
    }

    @Test("a prefix under inserts and removals equals a fresh one", arguments: UInt64(1)...30)
    func incremental(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let key = generator.key()
        var live: [RepairItem] = []
        var prefix = RatelessEncoder(0..<64)
        for _ in 0..<300 {
            if !live.isEmpty, generator.chance(40) {
                prefix.remove(live.remove(at: generator.below(live.count)))
            } else {
                live += generator.items(1, key: key)
                prefix.insert(live[live.count - 1])
            }
        }
        var fresh = RatelessEncoder(0..<64)
        for item in live.shuffled(using: &generator) { fresh.insert(item) }

        #expect(prefix == fresh)
        #expect(prefix.symbol(at: 0) == prefix.total)
        #expect(prefix.total.count == live.count)
    }

    @Test("many items at once come to what they do one after the other", arguments: UInt64(1)...60)
    func many(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let items = choices.items(choices.pick([0, 1, 7, 8, 9, 40]), key: choices.key())
        let first = choices.pick([0, 0, 3, 200])
        let range = first..<first + choices.pick([0, 1, 2, 50, 3000])
        var (one, all) = (RatelessEncoder(range), RatelessEncoder(range))
        for item in items { one.insert(item) }
        all.insert(items)
        #expect(all == one)
    }

    @Test("a run that is encoded later continues a prefix, if it is of the same set")
    func append() throws {
        var generator = SeededGenerator(seed: 4)
        let key = generator.key()
        let items = generator.items(100, key: key)
        var whole = RatelessEncoder(0..<90)
        var (prefix, rest) = (RatelessEncoder(0..<40), RatelessEncoder(40..<90))
        for item in items {
            whole.insert(item)
            prefix.insert(item)
            rest.insert(item)
        }
        // The set moves on, and what changed is taken back.
        let newer = generator.items(1, key: key)[0]
        rest.insert(newer)
        #expect(throws: RepairError.differentSets) { try prefix.append(rest) }
        rest.remove(newer)

        try prefix.append(rest)

        #expect(prefix == whole)
        #expect(prefix.symbol(at: 89) == whole.symbol(at: 89))
    }

    @Test(
        "the advised number of symbols suffices within a few questions", arguments: UInt64(1)...40)
    func pacing(seed: UInt64) throws {
        let pair = Pair(
            seed: seed, common: 200, onlyRemote: 70, onlyLocal: 30, symbols: 2000)
        var decoder = RatelessDecoder(key: pair.key, symbolsMax: 2000)
        var next = 16
        var questions = 0
        while !decoder.isDecoded {
            questions += 1
            for index in decoder.symbolCount..<next {
                try decoder.add(
                    remote: pair.remote.symbol(at: index), local: pair.local.symbol(at: index))
            }
            next = decoder.likelySymbolCount
        }

        #expect(questions <= 3)
        #expect(decoder.symbolCount < 1500)
    }
}
