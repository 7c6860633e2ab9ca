// The list of a live query: pages and changes in any order of any kind make what a sort makes.

import Basis
import EventModel
import Testing

@Suite("Live lists")
struct LiveListTests {
    private func action(_ user: Int, _ time: UInt64, score: Int = 1) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 5), type: "reaction",
                value: user.isMultiple(of: 2) ? "👍" : "🎉", uuid: "u\(user)"),
            actionTimetoken: Timetoken(rawValue: time), score: score)
    }

    private static let orders = ActionsQuery.Order.allCases.flatMap { [($0, false), ($0, true)] }

    @Test(
        "changes keep it sorted, and say what to do with a copy", arguments: 0..<20 as Range<UInt64>
    )
    func model(seed: UInt64) {
        for (order, isDescending) in Self.orders {
            var random = SeededGenerator(seed: seed)
            var query = ActionsQuery(
                channel: "room", messageTimetoken: Timetoken(rawValue: 5), order: order)
            query.isDescending = isDescending
            var list = LiveList(query)
            var (copy, model): ([MessageAction], [Int: MessageAction]) = ([], [:])
            for time in 10..<150 as Range<UInt64> {
                let user = random.below(12)
                var changes: [LiveChange] = []
                if let old = model.removeValue(forKey: user) { changes.append(.removed(old)) }
                if random.chance(60) {
                    let new = action(user, time, score: 1 + random.below(3))
                    model[user] = new
                    changes.append(.added(new))
                    // What comes twice makes no difference.
                    if random.chance(10) { changes.append(.added(new)) }
                }
                if random.chance(3) {
                    let end = Timetoken(rawValue: time - UInt64(random.below(5)))
                    changes.append(
                        .deleted(
                            MessageDeletion(
                                timetoken: end, after: .zero, through: Timetoken(rawValue: 5))))
                    model = model.filter { $0.value.actionTimetoken >= end }
                }
                for change in changes {
                    for step in list.take(change) { copy.apply(step) }
                }
                let sorted = model.values.sorted {
                    query.precedes(query.place(of: $0), query.place(of: $1))
                }
                #expect(list.actions == sorted, "\(order) \(isDescending)")
                #expect(copy == sorted)
            }
        }
    }

    @Test("what differs from another list makes one of the other")
    func difference() {
        for (order, isDescending) in Self.orders {
            var random = SeededGenerator(seed: 7)
            var query = ActionsQuery(channel: "room", order: order)
            query.isDescending = isDescending
            for _ in 0..<50 {
                var (old, new) = (LiveList(query), LiveList(query))
                for user in 0..<10 {
                    let kind = random.below(4)
                    let one = action(user, UInt64(20 + user), score: 1 + random.below(2))
                    if kind < 3 { _ = old.take(.added(one)) }
                    let other = kind == 1 ? action(user, UInt64(40 + user), score: 3) : one
                    if kind > 0 { _ = new.take(.added(other)) }
                }
                var copy = old.actions
                for change in new.changes(from: old) { copy.apply(change) }
                #expect(copy == new.actions)
            }
        }
    }

    @Test("a page is put behind what there is, and says where the next one begins")
    func pages() {
        let query = ActionsQuery(channel: "room", isDescending: true, limit: 2)
        var list = LiveList(query)
        #expect(list.next == nil)
        _ = list.take(
            ActionsPage(actions: [action(1, 9), action(2, 8)], next: .time(Timetoken(rawValue: 8))))
        _ = list.take(.added(action(3, 10)))
        let changes = list.take(ActionsPage(actions: [action(4, 3)], next: nil))

        #expect(changes == [.insert(action(4, 3), at: 3)])
        #expect(list.actions.map(\.actionTimetoken.rawValue) == [10, 9, 8, 3])
        #expect(list.next == nil)
    }

    @Test("what is spelt otherwise is another value, also in the order of values")
    func spelling() {
        var list = LiveList(ActionsQuery(channel: "room", order: .value))
        for (time, value) in [(1, "é"), (2, "e\u{301}")] {
            let key = MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 5), type: "reaction", value: value, uuid: "u")
            _ = list.take(
                .added(MessageAction(key: key, actionTimetoken: Timetoken(rawValue: UInt64(time)))))
        }

        #expect(list.actions.map(\.actionTimetoken.rawValue) == [2, 1])
    }

    @Test("a place in the order of scores survives the wire, and nothing else is one")
    func places() {
        for score in [1, 2, Limits.actionScoreMax] {
            let place = ActionsPlace.score(score, Timetoken(rawValue: 17))
            #expect(ActionsPlace(place.text) == place)
            #expect(place.order == .score)
        }
        for text in [
            "s.", "s.1", "s.1.", "s..1", "s.0.1", "s.1000000001.1", "s.1.2.3", "s.-1.1", "s.1.x",
            "s.1.99999999999999999999", "S.1.1", "s. 1.1",
        ] {
            #expect(ActionsPlace(text) == nil, "\(text)")
        }
    }
}
