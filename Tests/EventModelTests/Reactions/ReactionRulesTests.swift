// What the rules of a channel make of its reactions, in every mode.

import Basis
import EventModel
import Testing

/// The actions on one message.
private struct Rows: ReactionRows {
    var standing: [MessageAction.Key: Timetoken] = [:]
    /// Of those that do not count for 1.
    var scores: [MessageAction.Key: Int] = [:]
    var isThere = true
    var isByUser = false
    let user: String

    subscript(key: MessageAction.Key) -> MessageAction? {
        standing[key].map {
            MessageAction(key: key, actionTimetoken: $0, score: scores[key] ?? 1)
        }
    }

    func own() -> [MessageAction] {
        standing.keys.filter { $0.uuid == user }.compactMap { self[$0] }
    }
    func hasMessage() -> Bool { isThere }
    func isAuthor() -> Bool { isByUser }
    func totals(type: String, value: String) -> ActionTotals {
        let keys = standing.keys.filter { $0.type == type && $0.value == value }
        return ActionTotals(
            count: keys.count, score: keys.reduce(0) { $0 + (scores[$1] ?? 1) })
    }
    func values() -> ActionValues {
        let names = Set(standing.keys.map { [$0.type, $0.value] })
        return ActionValues(
            count: names.count, bytes: names.joined().reduce(0) { $0 + $1.utf8.count })
    }
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
            adding: rules.canonical(key), standing: rows[rules.canonical(key)], to: rows)
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
        #expect(refusal(rules { $0.mode = .unique }, Self.key("x"), on: rows) == .values(max: 490))
        #expect(refusal(rules { $0.ownMax = 3 }, Self.key("x"), on: rows) == .values(max: 490))
    }

    @Test("different actions on a message have bytes for each to be read")
    func bytesOfValues() {
        let most = Limits.actionValuesBytesMax - Limits.keptValuesBytes
        let long = String(repeating: "x", count: most - 20)
        var rows = Rows(user: "ada")
        rows.standing[Self.key(long)] = tick(7)
        let any = rules { _ in }
        // "reaction" has eight bytes: of twelve that are left, four.
        #expect(refusal(any, Self.key("1234"), on: rows) == nil)
        let bytes = ReactionRefusal.bytes(max: most)
        #expect(refusal(any, Self.key("12345"), on: rows) == bytes)
        // Who says what is there takes no more.
        #expect(refusal(any, Self.key(long, by: "bob"), on: rows) == nil)
        #expect(refusal(rules { $0.ownMax = 3 }, Self.key("7"), on: rows) == nil)
    }

    @Test("nobody can fill a message so that its author cannot edit it, or nobody report it")
    func keptValues() {
        var rows = Rows(user: "ada")
        for number in 0..<4900 { rows.standing[Self.key("\(number)", by: "u")] = tick(1) }
        let rules = ReactionRules()
        let edit = Self.key("a text", type: "edited")
        #expect(refusal(rules, Self.key("x"), on: rows) == .values(max: 4900))
        #expect(refusal(rules, edit, on: rows) == .values(max: 4900))
        #expect(refusal(rules, Self.key("x", type: "flag"), on: rows) == .values(max: 4900))
        #expect(refusal(rules, Self.key("flag", type: "flag"), on: rows) == nil)
        rows.isByUser = true
        #expect(refusal(rules, edit, on: rows) == nil)
        #expect(refusal(rules, Self.key("."), on: rows) == .values(max: 4900))
        for number in 0..<100 {
            rows.standing[Self.key("\(number)", type: "edited")] = tick(2)
        }
        #expect(refusal(rules, edit, on: rows) == .values(max: 5000))
    }

    @Test("nor by long values")
    func keptBytes() {
        var rows = Rows(user: "ada")
        let half = String(repeating: "x", count: Limits.actionValuesBytesMax / 2 - 4)
        let text = String(repeating: "y", count: Limits.actionValuesBytesMax / 2 - 1000)
        rows.standing[Self.key(half, type: "edit", by: "u")] = tick(1)
        #expect(
            refusal(ReactionRules(), Self.key(text, type: "edited"), on: rows)
                == .bytes(max: Limits.actionValuesBytesMax - Limits.keptValuesBytes))
        rows.isByUser = true
        #expect(refusal(ReactionRules(), Self.key(text, type: "edited"), on: rows) == nil)
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
            var rows = Rows(user: "")
            for step in 1...60 as ClosedRange<UInt64> {
                let user = choices.pick(["ada", "bob", "eve"])
                let asked = Self.key(
                    choices.pick(["love", "❤\u{FE0F}", "👍", "👎", "🔥", "x"]),
                    type: choices.pick(["reaction", "reaction", "receipt"]), by: user)
                let key = rules.canonical(asked)
                if choices.chance(30) {
                    rows.standing[key] = nil
                    rows.scores[key] = nil
                    continue
                }
                let score = choices.pick([nil, nil, 1, 5, Limits.actionScoreMax])
                let before = Rows(standing: rows.standing, scores: rows.scores, user: user)
                switch rules.decide(adding: key, score: score, standing: before[key], to: before) {
                case .failure(.score(let max)): #expect(rules.countsUp(key), "\(max)")
                case .failure: #expect(before[key] == nil)
                case .success(let decision):
                    for action in decision.dropped {
                        #expect(before[action.key] == action)
                        rows.standing[action.key] = nil
                        rows.scores[action.key] = nil
                    }
                    guard decision.standing == nil else {
                        #expect(decision.standing == before[key])
                        #expect(score == nil || score == before[key]?.score)
                        continue
                    }
                    rows.standing[key] = tick(step)
                    rows.scores[key] = decision.score
                    let counted = (before[key]?.score ?? 0) + (score ?? 1)
                    #expect(decision.score == (rules.countsUp(key) ? counted : score ?? 1))
                }
                check(rows.standing, rules, seed)
            }
        }
    }

    @Test("scores are put, or added up, and bounded one by one and together")
    func scores() {
        var rows = Rows(standing: [Self.key("👍"): tick(7)], user: "ada")
        rows.scores[Self.key("👍")] = 40
        func decision(_ mode: ReactionRules.Mode, _ score: Int?) -> ReactionDecision? {
            let rules = rules { $0.mode = mode }
            return try? rules.decide(
                adding: Self.key("👍"), score: score, standing: rows[Self.key("👍")], to: rows
            ).get()
        }
        for mode in [ReactionRules.Mode.distinct, .unique] {
            #expect(decision(mode, nil)?.standing?.score == 40)
            #expect(decision(mode, 40)?.standing?.score == 40)
            #expect(decision(mode, 3)?.score == 3)
            #expect(decision(mode, 3)?.dropped.map(\.score) == [40])
        }
        #expect(decision(.multiple, nil)?.score == 41)
        #expect(decision(.multiple, 5)?.score == 45)
        #expect(decision(.multiple, Limits.actionScoreMax) == nil)
        #expect(decision(.distinct, Limits.actionScoreMax)?.score == Limits.actionScoreMax)
        rows.standing[Self.key("👍", by: "bob")] = tick(8)
        rows.scores[Self.key("👍", by: "bob")] = Limits.groupScoreMax - 41
        #expect(decision(.multiple, nil)?.score == 41)
        #expect(decision(.multiple, 2) == nil)
        #expect(decision(.distinct, 42) == nil)
    }

    @Test("a total counts whatever is said, and one at a time is taken off")
    func total() {
        let total = rules { $0.mode = .total }
        #expect(total.canonical(Self.key("anything")) == Self.key("total"))
        #expect(total.canonical(Self.key("x", type: "receipt")) == Self.key("x", type: "receipt"))
        #expect(total.score(removingFrom: 3, "reaction") == 2)
        #expect(total.score(removingFrom: 1, "reaction") == nil)
        #expect(total.score(removingFrom: 3, "receipt") == nil)
        #expect(total.takesOff("reaction") && !total.takesOff("receipt"))
        #expect(!rules { $0.mode = .multiple }.takesOff("reaction"))
        #expect(rules { $0.mode = .multiple }.score(removingFrom: 3, "reaction") == nil)
    }

    private func check(
        _ standing: [MessageAction.Key: Timetoken], _ rules: ReactionRules, _ seed: UInt64
    ) {
        for user in ["ada", "bob", "eve"] {
            let own = standing.keys.filter { $0.uuid == user }
            let reactions = own.filter { $0.type == "reaction" }
            if [.unique, .flag, .total].contains(rules.mode) {
                #expect(reactions.count <= 1, "seed \(seed)")
            }
            if rules.ownMax > 0 { #expect(own.count <= rules.ownMax, "seed \(seed)") }
        }
        if rules.actionsMax > 0 { #expect(standing.count <= rules.actionsMax, "seed \(seed)") }
        let values = Set(standing.keys.map { [$0.type, $0.value] })
        #expect(values.count <= rules.valuesMax, "seed \(seed)")
        #expect(!values.contains(["reaction", "love"]), "seed \(seed)")
    }
}

extension ReactionRules {
    fileprivate func countsUp(_ key: MessageAction.Key) -> Bool {
        [.multiple, .total].contains(mode) && key.type == "reaction"
    }
}
