// What reactions there are in a channel, as a cache keeps it: the words of docs/PROTOCOL.md.

import EventModel
import JSON

/// Writes rules, each member of them, so that a later release's defaults do not change them.
enum RulesEncoder {
    static func text(_ rules: ReactionRules) -> String {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.member("reactions", rules.isOn)
        json.member("mode", rules.mode.rawValue)
        switch rules.values {
        case .any: break
        case .emoji: json.member("values", "emoji")
        case .list(let values): json.member("values", values)
        }
        json.beginArray("aliases")
        for alias in rules.aliases {
            json.beginObject()
            json.member("name", alias.name)
            json.member("value", alias.value)
            json.endObject()
        }
        json.endArray()
        json.member("types", rules.types)
        json.member("needsMessage", rules.needsMessage)
        json.member("valuesMax", rules.valuesMax)
        json.member("ownMax", rules.ownMax)
        json.member("actionsMax", rules.actionsMax)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
