// Summaries of messages, read in steps and brought forward, against a recount of all rows.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Summaries: reading")
struct SummaryWorkTests {
    private let room = Channel("room")

    /// Reads in steps of a few rows, with changes in between.
    private func summaries(
        _ messages: [SummariesQuery.Message], from reader: any StoreReader, _ cache: SummaryCache,
        looks: () -> Int = { .max }, between: () throws -> Void = {}
    ) throws -> [MessageSummary] {
        let page = try self.page(messages, from: reader, cache, looks: looks, between: between)
        #expect(page.rest.isEmpty)
        return page.summaries
    }

    private func page(
        _ messages: [SummariesQuery.Message], from reader: any StoreReader, _ cache: SummaryCache,
        looks: () -> Int = { .max }, between: () throws -> Void = {}
    ) throws -> SummariesPage {
        var work = SummaryWork(
            SummariesQuery(channel: "room", messages: messages), in: room)
        while true {
            var left = looks()
            let found = try work.step(from: reader, cache) {
                left -= 1
                return left >= 0
            }
            if let found { return found }
            try between()
        }
    }

    private func recount(
        _ message: Timetoken, _ store: any Store, at position: Timetoken
    ) throws -> MessageSummary {
        var rows: [ActionName: [MessageAction]] = [:]
        let reader = try store.makeReader()
        try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
            try snapshot.forEachAction { action in
                guard action.key.messageTimetoken == message else { return }
                rows[ActionName(action.key), default: []].append(action)
            }
        }
        var state = SummaryState()
        let groups = rows.sorted { $0.key < $1.key }.map { name, actions in
            let sorted = actions.sorted { $0.actionTimetoken > $1.actionTimetoken }
            let totals = ActionTotals(
                count: sorted.count, score: sorted.reduce(0) { $0 + $1.score })
            state.insert(
                type: name.type.string, value: name.value.string, totals,
                key: store.secret.key(of: room))
            return MessageSummary.Group(
                type: name.type.string, value: name.value.string, count: totals.count,
                score: totals.score, first: sorted.last!.actionTimetoken,
                last: sorted[0].actionTimetoken, authors: sorted.prefix(10).map(\.key.uuid))
        }
        return MessageSummary(
            messageTimetoken: message, position: position, groups: groups, state: state)
    }

    @Test(
        "equal a recount, whatever happened since the last one",
        arguments: StoreUnderTest.embedded, [1, 2, 3] as [UInt64])
    func recounts(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench(store)
        let cache = SummaryCache(secret: store.secret)
        let reader = try store.makeReader()
        let rules = [ReactionRules.Mode.distinct, .multiple, .unique].map { mode in
            var rules = ReactionRules()
            rules.mode = mode
            return rules
        }
        func change() {
            let key = MessageAction.Key.on(
                UInt64(1 + choices.below(3)), choices.pick(["👍", "👎", "🔥"]),
                by: "user\(choices.below(60))")
            let operation: Write.Operation =
                switch choices.below(100) {
                case 0: .deleteMessages(after: .zero, through: tick(1))
                case 1: .clear(Clearing(type: "reaction", value: key.value))
                case 2: .clear(Clearing(userID: key.uuid))
                case ..<35: .remove(key, observed: nil)
                default: .add(key, score: choices.pick([nil, 3]), under: choices.pick(rules))
                }
            _ = bench.commit(write(operation))
        }
        for _ in 0..<60 {
            for _ in 0..<choices.below(40) { change() }
            let messages = [1, 2, 3].map { SummariesQuery.Message(tick($0)) }
            // While it is read, others commit; the last look is at what is there then.
            _ = try summaries(
                messages, from: reader, cache, looks: { choices.below(2) },
                between: { if choices.chance(30) { change() } })
            let found = try summaries(messages, from: reader, cache)
            #expect(found.map(\.messageTimetoken) == messages.map(\.timetoken))
            for summary in found {
                #expect(
                    try summary
                        == recount(summary.messageTimetoken, store, at: summary.position))
                #expect(summary.position == store.last)
            }
            let known = found.map {
                SummariesQuery.Message($0.messageTimetoken, state: $0.state)
            }
            #expect(try summaries(known, from: reader, cache) == [])
        }
    }

    @Test("when those who are known have gone, the rows are read again")
    func exhausted() throws {
        let bench = LedgerBench()
        let cache = SummaryCache(secret: bench.store.secret)
        let reader = try bench.store.makeReader()
        for number in 0..<200 {
            _ = bench.commit(write(.add(.on(1, "👍", by: "user\(number)"))))
        }
        for gone in (0..<199).reversed() {
            _ = bench.commit(write(.remove(.on(1, "👍", by: "user\(gone)"), observed: nil)))
            let found = try summaries([.init(tick(1))], from: reader, cache)
            #expect(try found == [recount(tick(1), bench.store, at: found[0].position)])
        }
    }

    @Test("of very many groups the largest come, and all count")
    func manyGroups() throws {
        let bench = LedgerBench()
        for number in 0..<130 {
            _ = bench.commit(write(.add(.on(1, "value\(number)"))))
            if number < 30 { _ = bench.commit(write(.add(.on(1, "value\(number)", by: "bob")))) }
        }
        let cache = SummaryCache(secret: bench.store.secret)
        let found = try summaries([.init(tick(1))], from: bench.store.makeReader(), cache)
        #expect(found[0].groups.count == Limits.summaryGroupsMax)
        #expect(found[0].omitted == 30)
        #expect(found[0].groups.count { $0.count == 2 } == 30)
        #expect(try found[0].state == recount(tick(1), bench.store, at: tick(1)).state)
    }

    @Test("however long texts are, a page has an end, and says what to ask for again")
    func longTexts() throws {
        let bench = LedgerBench()
        var messages: [SummariesQuery.Message] = []
        let long = String(repeating: "x", count: 30_000)
        for number in 0..<12 {
            let published = bench.commit(write(.publish(.numbered(UInt64(number))))).events[0]
            let message = published.timetoken
            messages.append(SummariesQuery.Message(message))
            for text in 0..<8 {
                for type in ["edited", "reaction"] {
                    let key = MessageAction.Key(
                        messageTimetoken: message, type: type, value: "\(text)\(long)",
                        uuid: "ada")
                    _ = bench.commit(write(.add(key)))
                }
            }
        }
        let cache = SummaryCache(secret: bench.store.secret, bytesMax: 100_000)
        let reader = try bench.store.makeReader()
        var found: [MessageSummary] = []
        var rest = messages
        while !rest.isEmpty {
            let page = try page(rest, from: reader, cache)
            let bytes = page.summaries.map(\.bytes)
            #expect(bytes.dropLast().reduce(0, +) < Limits.pageBytesMax)
            found += page.summaries
            #expect(page.rest == rest.dropFirst(page.summaries.count).map(\.timetoken))
            rest = page.rest.map { SummariesQuery.Message($0) }
        }
        #expect(found.map(\.messageTimetoken) == messages.map(\.timetoken))
        for summary in found {
            // The newest text, two more and two reactions.
            #expect(summary.groups.map(\.value.first) == ["5", "6", "7", "0", "1"])
            #expect(summary.omitted == 11)
        }
    }

    @Test(
        "of its versions those of its author come, the newest, whoever else says so",
        arguments: StoreUnderTest.embedded)
    func versions(_ kind: StoreUnderTest) throws {
        let directory = try ScratchDirectory()
        let bench = LedgerBench(try kind.make(in: directory))
        let message = bench.commit(write(.publish(.numbered(1)))).events[0].timetoken
        func say(_ value: Int, by user: String) -> Timetoken {
            let key = MessageAction.Key(
                messageTimetoken: message, type: "edited", value: "\(value)", uuid: user)
            return bench.commit(write(.add(key))).events[0].timetoken
        }
        var own: [Timetoken] = []
        for value in 0..<12 { own.append(say(value, by: "ada")) }
        for value in 5..<40 { _ = say(value, by: "eve") }
        let cache = SummaryCache(secret: bench.store.secret)
        let found = try summaries([.init(message)], from: bench.store.makeReader(), cache)[0]
        #expect(found.groups.map(\.value).sorted() == (2..<12).map { "\($0)" }.sorted())
        for group in found.groups {
            let time = own[try #require(Int(group.value))]
            #expect((group.first, group.last) == (time, time))
            #expect(group.authors == ["ada"])
            #expect(group.count == (group.value.count == 1 && group.value < "5" ? 1 : 2))
        }
        #expect(found.omitted == 30)
        #expect(try found.state == recount(message, bench.store, at: found.position).state)
    }
}
