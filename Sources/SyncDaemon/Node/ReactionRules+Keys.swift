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
                + " these.", parse: values, format: text
        ).with(\.isList, true).with(\.elementsMax, Limits.listedReactionsMax),
        .list(
            "reaction_aliases", into: \.reactions.aliases, placeholder: "NAME=VALUE,...",
            expected: "NAME=VALUE separated by commas, such as love=❤️, like=👍",
            "Other names of reactions: who sends one, removes it or asks for it, means its value.",
            parse: alias, format: { "\($0.name)=\($0.value)" }
        ).with(\.elementsMax, Limits.listedReactionsMax),
        .list(
            "reaction_types", into: \.reactions.types, placeholder: "TYPE,...",
            expected: "types of actions separated by commas, such as reactions; not edited or"
                + " deleted, by which authors change their own messages",
            "Types of actions that mean reaction.", parse: type, format: { $0 }
        ).with(\.elementsMax, Limits.listedReactionsMax),
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
        // An edit that became a reaction would be lost.
        isValue(text) && text.utf8.count <= Limits.actionTypeBytesMax
            && !MessageVersion.isType(text) ? text : nil
    }

    private static func isValue(_ text: String) -> Bool {
        (1...Limits.canonicalValueBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }
}

extension SectionCollector {
    /// A name for a value that is none of those that there are; or one that could mean two things.
    func contradiction(
        in section: Section, _ rules: ReactionRules
    ) -> ConfigurationError? {
        let lines = ["reaction_aliases", "reaction_values"].compactMap {
            source(of: $0, in: section)
        }
        guard let source = lines.first, let (alias, expected) = rules.contradiction else {
            return nil
        }
        return .badValue(
            source, key: "reaction_aliases", value: "\(alias.name)=\(alias.value)",
            expected: expected)
    }
}

extension ReactionRules {
    /// The values of a list, to look up many in; `nil` where there is none, or it means nothing.
    private var onlySomeValues: Set<ExactText>? {
        guard case .list(let values) = values, ![.flag, .total].contains(mode) else { return nil }
        return Set(values.map { ExactText($0) })
    }

    /// A name that cannot mean what is said of it, and what to write instead.
    fileprivate var contradiction: (alias: Alias, expected: String)? {
        var seen: [ExactText: ExactText] = [:]
        let listed = onlySomeValues
        for alias in aliases {
            guard listed?.contains(ExactText(alias.value)) ?? allows(alias.value) else {
                return (alias, "a value that reaction_values has")
            }
            let (name, value) = (ExactText(alias.name), ExactText(alias.value))
            let before = seen.updateValue(value, forKey: name)
            guard before ?? value == value else { return (alias, "one value for each name") }
        }
        // A name is looked up once.
        for alias in aliases where ExactText(alias.name) != ExactText(alias.value) {
            if seen[ExactText(alias.value)].map({ $0 != ExactText(alias.value) }) ?? false {
                return (alias, "what it is in the end: a value, and not another one's name")
            }
        }
        return nil
    }
}

extension ChannelSettings {
    /// What is said in vain, each with the key that says it.
    fileprivate var vanities: [(key: String, what: String, instead: String)] {
        var vanities: [(String, String, String)] = []
        if !keepsMessages, reactions.needsMessage, reactions.isOn {
            vanities.append(
                (
                    "actions_need_message",
                    "with store = no no message is stored, so that none can get an action",
                    "Write actions_need_message = no, or reactions = no"
                ))
        }
        if [.flag, .total].contains(reactions.mode), reactions.values != .any {
            vanities.append(
                (
                    "reaction_values",
                    "with reaction_mode = \(reactions.mode.rawValue) all reactions are one, and"
                        + " their values mean nothing",
                    "Leave reaction_values out, or choose another mode"
                ))
        }
        return vanities
    }
}

extension Configuration {
    /// What keysets and namespaces say in vain.
    var vainSettings: [ConfigurationWarning] {
        var warnings = namedKeysets.flatMap { named in
            vainSettings(of: named.keyset.defaults, in: named)
        }
        let tenants = namedKeysets.isEmpty ? [NamedKeyset(name: "")] : namedKeysets
        for namespace in namespaces {
            let first = tenants.first { namespace.isAbout($0.name) }
            guard let keyset = first?.keyset else { continue }
            warnings += vainSettings(of: namespace.settings(in: keyset), in: namespace)
        }
        return warnings + vainEntries + vainDevices
    }

    /// Keysets and namespaces that are to have files where the store keeps none.
    var vainFiles: [ConfigurationWarning] {
        guard !storeKind.isDurable else { return [] }
        func warnings<Section: NamedSection>(
            _ sections: [Section], _ settings: (Section) -> ChannelSettings
        ) -> [ConfigurationWarning] {
            sections.compactMap { section in
                guard settings(section).files.isOn,
                    let line = sources["\(Section.word) \(section.name).files"]
                else { return nil }
                return .saidInVain(
                    line, "\(section.title) files",
                    what: "with [store] kind = \(storeKind.rawValue) there are no files: whoever"
                        + " brings one is refused",
                    instead: "Write kind = sqlite or postgres, or leave files out")
            }
        }
        return warnings(namedKeysets) { $0.keyset.defaults }
            + warnings(namespaces) { $0.settings(in: Keyset(subscribeKey: "")) }
    }

    /// Those of a section that it says itself, or that it says the other half of.
    private func vainSettings<Section: NamedSection>(
        of settings: ChannelSettings, in section: Section
    ) -> [ConfigurationWarning] {
        settings.vanities.compactMap { key, what, instead in
            // A list that a keyset has for its other channels is not in vain.
            let keys = key == "reaction_values" ? [key] : [key, "store"]
            let lines = keys.compactMap { sources["\(Section.word) \(section.name).\($0)"] }
            return lines.first.map {
                .saidInVain($0, "\(section.title) \(key)", what: what, instead: instead)
            }
        }
    }
}
