// What every store promises about a message's actions in the order of what they count for.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: actions by score")
struct StoreScoreOrderContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// What stands on message 1 at the end: adds, other scores and removals, beside message 2.
    private func fill(_ store: any Store, users: Int) throws -> [MessageAction] {
        var random = SeededGenerator(seed: 5)
        var standing: [MessageAction.Key: MessageAction] = [:]
        var time: UInt64 = 10
        try store.commit(through: 20_000_000) {
            for user in 0..<users {
                time += 2
                let value = random.chance(70) ? "👍" : "🎉"
                let key = MessageAction.Key.on(
                    user.isMultiple(of: 9) ? 2 : 1, value, by: "u\(user)")
                let score = random.chance(50) ? 1 : 1 + random.below(5)
                let action = MessageAction(key: key, actionTimetoken: tick(time), score: score)
                try $0.add(action, in: room)
                standing[key] = action
                guard random.chance(25) else { continue }
                time += 2
                try $0.remove(key, at: tick(time), in: room)
                standing[key] = nil
                guard random.chance(50) else { continue }
                let again = MessageAction(
                    key: key, actionTimetoken: tick(time + 1), score: 1 + random.below(5))
                try $0.add(again, in: room)
                standing[key] = again
            }
        }
        return standing.values.filter { $0.key.messageTimetoken == tick(1) }
    }

    /// All pages, as a client asks for them.
    private func read(_ query: ActionsQuery, of store: any Store) throws -> [MessageAction] {
        var query = query
        var found: [MessageAction] = []
        repeat {
            let page = try store.makeReader().actions(query, in: room)
            #expect(page.actions.count <= query.limit)
            found += page.actions
            query.after = page.next.flatMap { ActionsPlace($0.text) }
        } while query.after != nil
        return found
    }

    private func check(
        _ store: any Store, _ standing: [MessageAction], limit: Int
    ) throws {
        for values in [[], ["🎉"], ["👍", "x"]] {
            for isDescending in [false, true] {
                var query = ActionsQuery(
                    channel: "room", messageTimetoken: tick(1), values: values, order: .score,
                    limit: limit)
                query.isDescending = isDescending
                let expected = standing.filter { query.matches($0.key) }.sorted {
                    let (one, two) = (
                        ($0.score, $0.actionTimetoken), ($1.score, $1.actionTimetoken)
                    )
                    return isDescending ? one > two : one < two
                }
                let found = try read(query, of: store)
                #expect(found == expected, "\(values), descending: \(isDescending)")
            }
        }
    }

    @Test(
        "pages have what is wanted, in order, from both ends",
        arguments: StoreUnderTest.allCases, [1, 3, 1000])
    func pages(_ kind: StoreUnderTest, limit: Int) throws {
        let store = try kind.make(in: directory)
        let standing = try fill(store, users: 90)
        try check(store, standing, limit: limit)
    }

    @Test("so they have on a message that has too many to be sorted")
    func crowded() throws {
        let store = try StoreUnderTest.sqlite.make(in: directory)
        let standing = try fill(store, users: Limits.actionsExaminedMax * 4 / 3)
        #expect(standing.count > Limits.actionsExaminedMax)
        #expect(standing.contains { $0.score == 1 } && standing.contains { $0.score == 5 })
        try check(store, standing, limit: 1000)
        // One scored row among many that count for 1, and the other way round, are found.
        var query = ActionsQuery(
            channel: "room", messageTimetoken: tick(1), order: .score, limit: 1)
        query.isDescending = true
        let best = try store.makeReader().actions(query, in: room).actions
        #expect(best.map(\.score) == [5])
    }

    @Test("what a large deletion hides is in no page", arguments: StoreUnderTest.allCases)
    func hidden(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        _ = try fill(store, users: 50)
        try store.commit(through: 30_000_000) {
            _ = try $0.deleteMessages(
                after: .zero, through: tick(1), at: tick(25_000_000), in: room)
        }
        try check(store, [], limit: 10)
    }
}
