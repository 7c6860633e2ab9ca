// What reactions there are in channels, as JSON: each set of rules once, and only what is unusual.

import EventModel
import JSON

/// Gathers the rules of the channels of one frame.
struct RulesEncoder {
    private var all: [ReactionRules] = []

    /// Says which rules a channel has, in the object that is open.
    ///
    /// - Complexity: O(different rules of the frame), of which there are few.
    mutating func encode(_ rules: ReactionRules, into json: inout JSONWriter) {
        guard rules != ReactionRules() else { return }
        let index = all.firstIndex(of: rules) ?? all.count
        if index == all.count { all.append(rules) }
        json.member("rules", index)
    }

    /// Writes the list, after the channels.
    ///
    /// - Parameter isNeeded: Whether an empty one is written as well.
    func end(into json: inout JSONWriter, isNeeded: Bool = false) {
        guard isNeeded || !all.isEmpty else { return }
        json.beginArray("rules")
        for rules in all { Self.encode(rules, into: &json) }
        json.endArray()
    }

    private static func encode(_ rules: ReactionRules, into json: inout JSONWriter) {
        let usual = ReactionRules()
        json.beginObject()
        if !rules.isOn { json.member("reactions", false) }
        if rules.mode != usual.mode { json.member("mode", rules.mode.rawValue) }
        switch rules.values {
        case .any: break
        case .emoji: json.member("values", "emoji")
        case .list(let values): json.member("values", values)
        }
        if !rules.aliases.isEmpty {
            json.beginArray("aliases")
            for alias in rules.aliases {
                json.beginObject()
                json.member("name", alias.name)
                json.member("value", alias.value)
                json.endObject()
            }
            json.endArray()
        }
        if !rules.types.isEmpty { json.member("types", rules.types) }
        if rules.needsMessage { json.member("needsMessage", true) }
        if rules.mostValues != usual.valuesMax { json.member("valuesMax", rules.mostValues) }
        if rules.ownMax != 0 { json.member("ownMax", rules.ownMax) }
        if rules.actionsMax != 0 { json.member("actionsMax", rules.actionsMax) }
        json.endObject()
    }
}
