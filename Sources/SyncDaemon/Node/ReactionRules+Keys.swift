// The table of what may be said about reactions: rows of what may hold for a channel.

import EventModel

extension ChannelSettings {
    static let reactionKeys: [SettingKey<ChannelSettings>] = [
        .yesOrNo("reactions", into: \.reactions.isOn, "Whether there are reactions."),
        .choice(
            "reaction_mode", into: \.reactions.mode,
            "How often a user may react to a message: once with each value, with one value that"
                + " another takes the place of, once at all, whatever the value, or as often as one"
                + " likes, counted by value or in all."),
        .value(
            "reaction_values", into: \.reactions.values, placeholder: "any|emoji|VALUE,...",
            expected: "any, emoji, or values separated by commas",
            "Which reactions there are: whatever somebody sends, every emoji of Unicode's list, or"
                + " these.", parse: values, format: text),
        .list(
            "reaction_aliases", into: \.reactions.aliases, placeholder: "NAME=VALUE,...",
            expected: "NAME=VALUE separated by commas, such as love=❤️, like=👍",
            "Other names of reactions: who sends one, removes it or asks for it, means its value.",
            parse: alias, format: { "\($0.name)=\($0.value)" }),
        .list(
            "reaction_types", into: \.reactions.types, placeholder: "TYPE,...",
            expected: "types of actions separated by commas, such as reactions",
            "Types of actions that mean reaction.", parse: type, format: { $0 }),
        .yesOrNo(
            "actions_need_message", into: \.reactions.needsMessage,
            "Whether only a message that is stored can get actions. PubNub asks for none."),
        .number(
            "values_per_message_max", 1...Limits.actionValuesMax, into: \.reactions.valuesMax,
            "Different actions, by type and value, that a message may have."),
        .number(
            "actions_per_user_max", 0...Limits.actionValuesMax, into: \.reactions.ownMax,
            "Actions that one user may have on a message. 0 for no bound."),
        .number(
            "actions_per_message_max", 0...1_000_000_000, into: \.reactions.actionsMax,
            "Actions that a message may have. 0 for no bound."),
    ]

    @Sendable private static func values(_ text: String) -> ReactionRules.Values? {
        switch text {
        case "any": return .any
        case "emoji": return .emoji
        default:
            let words = text.split(separator: ",").map { ReactionValue.canonical(String($0)) }
                .withoutRepeats()
            // Who writes one of these beside others means something else.
            let isList = !words.contains { ["any", "emoji"].contains($0) }
            return words.isEmpty || !isList || !words.allSatisfy(isValue) ? nil : .list(words)
        }
    }

    @Sendable private static func text(_ values: ReactionRules.Values) -> String? {
        switch values {
        case .any: "any"
        case .emoji: "emoji"
        case .list(let values): values.joined(separator: ", ")
        }
    }

    @Sendable private static func alias(_ text: String) -> ReactionRules.Alias? {
        let parts = text.split(separator: "=", maxSplits: 1).map { String($0) }
        guard parts.count == 2, parts.allSatisfy(isValue) else { return nil }
        return ReactionRules.Alias(name: parts[0], value: ReactionValue.canonical(parts[1]))
    }

    @Sendable private static func type(_ text: String) -> String? {
        isValue(text) && text.utf8.count <= Limits.actionTypeBytesMax ? text : nil
    }

    private static func isValue(_ text: String) -> Bool {
        (1...Limits.canonicalValueBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }
}

extension SectionCollector {
    /// A name for a value that is none of those that there are.
    func contradiction(
        in section: Section, _ rules: ReactionRules
    ) -> ConfigurationError? {
        guard let alias = rules.aliases.first(where: { !rules.allows($0.value) }) else {
            return nil
        }
        for key in ["reaction_aliases", "reaction_values"] {
            guard let source = source(of: key, in: section) else { continue }
            return .badValue(
                source, key: "reaction_aliases", value: "\(alias.name)=\(alias.value)",
                expected: "a value that reaction_values has")
        }
        return nil
    }
}
