// The groups of a message's reactions, kept while they come and go, against a recount of all rows.

import Basis
import Testing

@testable import EventModel

@Suite("Reaction groups")
struct ReactionGroupsTests {
    private static let message = Timetoken(rawValue: 5)
    private static let users = ["ada", "bob", "cy", "dee"] + (0..<15).map { "user\($0)" }

    private static let modes = ReactionRules.Mode.allCases.map { mode in
        var rules = ReactionRules()
        rules.mode = mode
        return rules
    }

    @Test("equal a recount after every step, in every mode", arguments: UInt64(1)...60)
    func recount(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let rules = choices.pick(Self.modes)
        var base = ChannelBase()
        var wishes: [OutboxEntry] = []
        var time: UInt64 = 10
        for step in 0..<250 {
            time += 1
            if choices.chance(25) {
                if wishes.count > 4 { wishes.removeFirst(2) }
                wishes.append(wish(step, at: time, &choices, base))
            } else {
                _ = base.apply(batch(at: &time, &choices))
            }
            let items = ChannelView(base, wishes, under: rules, user: "ada").items
            let shown = items.first { $0.timetoken == Self.message }?.reactions
            let expected = base.cache.messages[Self.message].map { _ in
                recount(base, wishes, rules)
            }
            #expect(shown == expected, "seed \(seed), step \(step)")
            guard shown == expected else { return }
        }
    }

    // MARK: What happens

    private func batch(at time: inout UInt64, _ choices: inout SeededGenerator) -> Batch {
        var envelopes: [Envelope] = []
        for _ in 0...choices.below(30) {
            time += 1
            let key = key(by: choices.pick(Self.users), &choices)
            let event: Event =
                switch choices.below(60) {
                case 0: .messagesDeleted(after: .zero, through: Self.message)
                case 1..<20:
                    .actionRemoved(MessageAction(key: key, actionTimetoken: Timetoken.zero))
                default:
                    // An added one may take the place of one under its key.
                    .actionAdded(
                        MessageAction(
                            key: key, actionTimetoken: Timetoken(rawValue: time),
                            score: choices.pick([1, 1, 2, 9])))
                }
            envelopes.append(envelope(time, key.uuid, event))
        }
        let message = envelope(5, "bob", .message(Message(payload: "1")))
        if time < 60 { envelopes.insert(message, at: 0) }
        return Batch(
            channel: Channel("room"), cursor: Timetoken(rawValue: time), envelopes: envelopes)
    }

    private func envelope(_ number: UInt64, _ user: String, _ event: Event) -> Envelope {
        Envelope(
            channel: Channel("room"), timetoken: Timetoken(rawValue: number), uuid: user,
            event: event)
    }

    private func key(
        by user: String, _ choices: inout SeededGenerator
    ) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: Self.message, type: choices.chance(90) ? "reaction" : "receipt",
            value: choices.pick(["👍", "❤️", "😂"]), uuid: user)
    }

    private func wish(
        _ step: Int, at time: UInt64, _ choices: inout SeededGenerator, _ base: ChannelBase
    ) -> OutboxEntry {
        let key = key(by: "ada", &choices)
        let isAnswered = choices.chance(40)
        if choices.chance(60) {
            return OutboxEntry(
                mutation: "m\(step)", channel: "room",
                wish: .add(key, score: choices.pick([nil, nil, 1, 4])),
                progress: isAnswered ? .answered(Timetoken(rawValue: time)) : .perhapsSent)
        }
        return OutboxEntry(
            mutation: "m\(step)", channel: "room",
            wish: .remove(key, seen: base.cache.actionTimetoken(of: key)),
            progress: isAnswered ? .answered(nil) : .unsent)
    }

    // MARK: The recount

    /// From all rows, one by one, and the rule for one action after the other.
    private func recount(
        _ base: ChannelBase, _ wishes: [OutboxEntry], _ rules: ReactionRules
    ) -> [ListItem.Reaction] {
        var rows = base.cache.marks.mapValues(Optional.some)
        for key in wishes.compactMap(\.key) { rows[key] = rows[key] ?? .some(nil) }
        var own: [MessageAction.Key: OwnAction] = [:]
        for (key, mark) in rows {
            own[key] = wishes.own(key, base: mark?.action(under: key), under: rules)
        }
        let there = own.filter { $0.value.standing != .absent }
        return Set(there.keys.map(ActionName.init)).map { name in
            let group = there.filter { ActionName($0.key) == name }
            let added = group.compactMap { entry -> Timetoken? in
                if case .since(let timetoken) = entry.value.standing { timetoken } else { nil }
            }
            let newest = group.sorted { time($0.value.standing) > time($1.value.standing) }
            let mine = group.first { $0.key.uuid == "ada" }?.value
            let isPending = wishes.contains { wish in
                !wish.isAnswered && group.keys.contains { $0 == wish.key }
            }
            return ListItem.Reaction(
                type: name.type.string, value: name.value.string, count: group.count,
                score: group.values.reduce(0) { $0 + $1.score }, ownScore: mine?.score ?? 0,
                isMine: mine != nil, isPending: isPending,
                first: added.min(), last: added.max(),
                authors: Array(newest.map(\.key.uuid).prefix(10)))
        }
        .sorted {
            (time($0.first), $0.type, $0.value) < (time($1.first), $1.type, $1.value)
        }
    }

    private func time(_ standing: Standing) -> UInt64 {
        if case .since(let timetoken) = standing { timetoken.rawValue } else { .max }
    }

    private func time(_ timetoken: Timetoken?) -> UInt64 { timetoken?.rawValue ?? .max }

    @Test("more authors than are named are clipped, one's own wish is named first")
    func authors() {
        var base = ChannelBase()
        let thumbs = Self.users.enumerated().map { index, user in
            let key = MessageAction.Key(
                messageTimetoken: Self.message, type: "reaction", value: "👍", uuid: user)
            let time = UInt64(index) + 10
            return envelope(
                time, user,
                .actionAdded(MessageAction(key: key, actionTimetoken: Timetoken(rawValue: time))))
        }
        let message = envelope(5, "bob", .message(Message(payload: "1")))
        _ = base.apply(
            Batch(
                channel: Channel("room"), cursor: Timetoken(rawValue: 99),
                envelopes: [message] + thumbs))
        let wish = OutboxEntry(
            mutation: "m", channel: "room",
            wish: .add(
                MessageAction.Key(
                    messageTimetoken: Self.message, type: "reaction", value: "👍", uuid: "zoe")))
        let shown = ChannelView(base, [wish], user: "zoe").items[0].reactions[0]
        #expect(shown.count == 20)
        #expect(shown.authors == ["zoe"] + Array(Self.users.reversed().prefix(9)))
        #expect(shown.isClipped)
        let bare = ChannelView(base, [], user: "ada").items[0].reactions[0]
        #expect(bare.authors == Array(Self.users.reversed().prefix(10)))
        #expect(bare.isMine)
    }
}
