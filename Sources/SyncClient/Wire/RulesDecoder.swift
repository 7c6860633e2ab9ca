// What reactions there are in channels, as the daemon's JSON has it: each set of rules once.

import EventModel
import JSON

/// Reads the list `rules` of a frame, and which of them each channel has.
///
/// What is left out is as ever; what an older or newer daemon says otherwise is passed over.
struct RulesDecoder {
    private let all: [ReactionRules]

    init(_ frame: borrowing JSONValue) throws(JSONError) {
        guard frame.member("rules") != nil else {
            all = []
            return
        }
        let list = try frame.array("rules")
        var all: [ReactionRules] = []
        for index in 0..<list.count { all.append(try Self.rules(list.element(at: index))) }
        self.all = all
    }

    /// The rules of a channel, which names them by their place in the list.
    func rules(of channel: borrowing JSONValue) throws(JSONError) -> ReactionRules {
        guard let index = try channel.optionalInteger("rules").map(Int.init) else {
            return ReactionRules()
        }
        guard all.indices.contains(index) else {
            throw .wrongType("rules", expected: "a place in the list of rules")
        }
        return all[index]
    }

    /// The channels of a frame that says nothing else.
    func channels(_ frame: borrowing JSONValue) throws(JSONError) -> [String: ReactionRules] {
        let list = try frame.array("channels")
        var channels: [String: ReactionRules] = [:]
        for index in 0..<list.count {
            let channel = list.element(at: index)
            channels[try channel.string("name")] = try rules(of: channel)
        }
        return channels
    }

    /// Rules as ``RulesEncoder`` wrote them; `nil` when they cannot be read.
    static func rules(fromText text: String) -> ReactionRules? {
        do throws(JSONError) {
            return try rules(JSONValue(parsing: text, depthMax: ClientLimits.jsonDepthMax))
        } catch {
            return nil
        }
    }

    private static func rules(_ json: borrowing JSONValue) throws(JSONError) -> ReactionRules {
        var rules = ReactionRules()
        rules.isOn = try json.optionalFlag("reactions") ?? true
        rules.mode = try json.optionalString("mode").flatMap { .init(rawValue: $0) } ?? .distinct
        if let values = json.member("values") {
            if values.isArray { rules.values = .list(try texts(values)) }
            if values.string == "emoji" { rules.values = .emoji }
        }
        if json.member("aliases") != nil {
            let list = try json.array("aliases")
            for index in 0..<list.count {
                let pair = list.element(at: index)
                rules.aliases.append(
                    ReactionRules.Alias(
                        name: try pair.string("name"), value: try pair.string("value")))
            }
        }
        if json.member("types") != nil { rules.types = try texts(json.array("types")) }
        rules.needsMessage = try json.optionalFlag("needsMessage") ?? false
        rules.valuesMax = try json.optionalInteger("valuesMax").map(Int.init) ?? rules.valuesMax
        rules.ownMax = try json.optionalInteger("ownMax").map(Int.init) ?? 0
        rules.actionsMax = try json.optionalInteger("actionsMax").map(Int.init) ?? 0
        return rules
    }

    private static func texts(_ list: borrowing JSONValue) throws(JSONError) -> [String] {
        var texts: [String] = []
        for index in 0..<list.count {
            guard let text = list.element(at: index).string else {
                throw .wrongType("rules", expected: "an array of strings")
            }
            texts.append(text)
        }
        return texts
    }
}
