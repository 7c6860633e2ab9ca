// What the rules of a channel make of its reactions, in every mode.

import Basis
import EventModel
import Testing

/// The actions on one message.
private struct Rows: ReactionRows {
    var standing: [MessageAction.Key: Timetoken] = [:]
    var isThere = true
    let user: String

    func own() -> [MessageAction] {
        standing.filter { key, _ in key.uuid == user }
            .map { MessageAction(key: $0.key, actionTimetoken: $0.value) }
    }
    func hasMessage() -> Bool { isThere }
    func count(type: String, value: String) -> Int {
        standing.keys.count { $0.type == type && $0.value == value }
    }
    func valueCount() -> Int { Set(standing.keys.map { [$0.type, $0.value] }).count }
    func actionCount() -> Int { standing.count }
}

@Suite("ReactionRules")
struct ReactionRulesTests {
    private static let message = Timetoken(rawValue: 5)

    private func tick(_ number: UInt64) -> Timetoken { Timetoken(rawValue: number) }

    private static func key(
        _ value: String, type: String = "reaction", by user: String = "ada"
    ) -> MessageAction.Key {
        MessageAction.Key(messageTimetoken: message, type: type, value: value, uuid: user)
    }

    private func rules(_ change: (inout ReactionRules) -> Void) -> ReactionRules {
        var rules = ReactionRules()
        change(&rules)
        return rules
    }

    private func refusal(
        _ rules: ReactionRules, _ key: MessageAction.Key, on rows: Rows = Rows(user: "ada")
    ) -> ReactionRefusal? {
        let decision = rules.decide(
            adding: rules.canonical(key), standing: rows.standing[rules.canonical(key)], to: rows)
        if case .failure(let refusal) = decision { return refusal }
        return nil
    }

    @Test("without rules everything is stored as it is sent")
    func plain() {
        for key in [Self.key("love"), Self.key("❤"), Self.key(" x "), Self.key("1", type: "t")] {
            #expect(ReactionRules().canonical(key) == key)
            #expect(refusal(ReactionRules(), key) == nil)
        }
    }

    @Test("a name and its value are one, in every spelling, for reactions only")
    func aliases() {
        let rules = rules {
            $0.aliases = [ReactionRules.Alias(name: "love", value: "❤\u{FE0F}")]
            $0.types = ["reactions", "like"]
            $0.values = .emoji
        }
        for (type, value) in [("reaction", "love"), ("reactions", "❤"), ("like", " ❤\u{FE0F}")] {
            #expect(
                rules.canonical(Self.key(value, type: type)) == Self.key("❤\u{FE0F}"), "\(value)")
        }
        #expect(rules.canonical(Self.key("love", type: "t")) == Self.key("love", type: "t"))
        #expect(rules.canonical(Self.key("Love")) == Self.key("Love"))
        #expect(rules.canonical(type: "like") == "reaction")
    }

    @Test("what is no value is refused, what stands may stand")
    func values() {
        let list = rules { $0.values = .list(["👍", "❤\u{FE0F}"]) }
        #expect(refusal(list, Self.key("❤")) == nil)
        #expect(refusal(list, Self.key("👎")) == .value)
        #expect(refusal(list, Self.key("anything", type: "receipt")) == nil)
        let emoji = rules { $0.values = .emoji }
        #expect(refusal(emoji, Self.key("👎🏽")) == nil)
        #expect(refusal(emoji, Self.key("ok")) == .value)
        let rows = Rows(standing: [Self.key("👎"): tick(7)], user: "ada")
        #expect(refusal(list, Self.key("👎"), on: rows) == nil)
    }

    @Test("nothing that is too long for a value is looked at, or taken")
    func long() {
        for values in [ReactionRules.Values.emoji, .list(["👍"])] {
            let rules = rules { $0.values = values }
            #expect(refusal(rules, Self.key("👍" + String(repeating: " ", count: 250))) == nil)
            for text in [
                "👍" + String(repeating: " ", count: 300), String(repeating: "x", count: 257),
            ] {
                #expect(rules.canonical(Self.key(text)) == Self.key(text))
                #expect(refusal(rules, Self.key(text)) == .value)
            }
        }
    }

    @Test("where there are no reactions, other actions are as ever")
    func off() {
        let rules = rules {
            $0.isOn = false
            $0.types = ["like"]
        }
        #expect(refusal(rules, Self.key("👍")) == .off)
        #expect(refusal(rules, Self.key("👍", type: "like")) == .off)
        #expect(refusal(rules, Self.key("read", type: "receipt")) == nil)
    }

    @Test("a message may have to be there")
    func parent() {
        let rules = rules { $0.needsMessage = true }
        #expect(refusal(rules, Self.key("👍")) == nil)
        #expect(refusal(rules, Self.key("👍"), on: Rows(isThere: false, user: "ada")) == .noMessage)
        #expect(
            refusal(ReactionRules(), Self.key("👍"), on: Rows(isThere: false, user: "ada")) == nil)
    }

    @Test("a full message takes what is there already, and what frees as much as it takes")
    func caps() {
        let two = Rows(
            standing: [Self.key("a"): tick(1), Self.key("b", by: "bob"): tick(2)], user: "ada")
        let values = rules { $0.valuesMax = 2 }
        #expect(refusal(values, Self.key("c"), on: two) == .values(max: 2))
        #expect(refusal(values, Self.key("b"), on: two) == nil)
        #expect(refusal(values, Self.key("a"), on: two) == nil)
        let unique = rules {
            $0.valuesMax = 2
            $0.mode = .unique
        }
        #expect(refusal(unique, Self.key("c"), on: two) == nil)
        var three = two
        three.standing[Self.key("a", by: "eve")] = tick(3)
        #expect(refusal(unique, Self.key("c"), on: three) == .values(max: 2))
        #expect(refusal(rules { $0.ownMax = 1 }, Self.key("b"), on: two) == .own(max: 1))
        #expect(refusal(rules { $0.ownMax = 2 }, Self.key("b"), on: two) == nil)
        #expect(refusal(rules { $0.actionsMax = 2 }, Self.key("b"), on: two) == .actions(max: 2))
        #expect(refusal(rules { $0.actionsMax = 3 }, Self.key("b"), on: two) == nil)
    }

    @Test("fewer different values fit where each add looks for the user's own")
    func mostValues() {
        var rows = Rows(user: "ada")
        for number in 0..<500 { rows.standing[Self.key("\(number)", by: "u")] = tick(1) }
        #expect(refusal(ReactionRules(), Self.key("x"), on: rows) == nil)
        #expect(refusal(rules { $0.mode = .unique }, Self.key("x"), on: rows) == .values(max: 500))
        #expect(refusal(rules { $0.ownMax = 3 }, Self.key("x"), on: rows) == .values(max: 500))
        #expect(refusal(rules { $0.ownMax = 3 }, Self.key("7"), on: rows) == nil)
    }

    @Test("whatever many users do, in every mode, what stands is what the mode allows")
    func random() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            var choices = SeededGenerator(seed: seed)
            let rules = rules {
                $0.mode = choices.pick(ReactionRules.Mode.allCases)
                $0.valuesMax = choices.pick([2, 4, 100])
                $0.ownMax = choices.pick([0, 1, 2])
                $0.actionsMax = choices.pick([0, 3, 6])
                $0.aliases = [ReactionRules.Alias(name: "love", value: "❤\u{FE0F}")]
            }
            var standing: [MessageAction.Key: Timetoken] = [:]
            for step in 1...60 as ClosedRange<UInt64> {
                let user = choices.pick(["ada", "bob", "eve"])
                let asked = Self.key(
                    choices.pick(["love", "❤\u{FE0F}", "👍", "👎", "🔥", "x"]),
                    type: choices.pick(["reaction", "reaction", "receipt"]), by: user)
                let key = rules.canonical(asked)
                if choices.chance(30) {
                    standing[key] = nil
                    continue
                }
                let before = standing
                let rows = Rows(standing: standing, user: user)
                switch rules.decide(adding: key, standing: standing[key], to: rows) {
                case .failure: #expect(before[key] == nil)
                case .success(let decision):
                    #expect(decision.standing == before[key])
                    for action in decision.dropped {
                        #expect(standing.removeValue(forKey: action.key) == action.actionTimetoken)
                    }
                    if before[key] == nil { standing[key] = tick(step) }
                }
                check(standing, rules, seed)
            }
        }
    }

    private func check(
        _ standing: [MessageAction.Key: Timetoken], _ rules: ReactionRules, _ seed: UInt64
    ) {
        for user in ["ada", "bob", "eve"] {
            let own = standing.keys.filter { $0.uuid == user }
            let reactions = own.filter { $0.type == "reaction" }
            if rules.mode != .distinct { #expect(reactions.count <= 1, "seed \(seed)") }
            if rules.ownMax > 0 { #expect(own.count <= rules.ownMax, "seed \(seed)") }
        }
        if rules.actionsMax > 0 { #expect(standing.count <= rules.actionsMax, "seed \(seed)") }
        let values = Set(standing.keys.map { [$0.type, $0.value] })
        #expect(values.count <= rules.valuesMax, "seed \(seed)")
        #expect(!values.contains(["reaction", "love"]), "seed \(seed)")
    }
}
