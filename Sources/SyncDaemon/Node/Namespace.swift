// What stands in a section [namespace NAME]: settings of some of a keyset's channels.

import EventModel

/// Channels that an owner decided something about by their names.
struct Namespace: NamedSection {
    static let word = "namespace"
    static let countMax = Limits.namespacePatternsMax

    let name: String
    /// Whose channels they are, as `NamedKeyset.name`; `nil` for those of every keyset.
    var keyset: String?
    var patterns: [ChannelPattern] = []
    /// The names of the keys that it says something of; the keyset says the rest.
    private var decided: Set<String> = []
    /// What it says of them.
    private var said = ChannelSettings()

    init(name: String) {
        self.name = name
    }

    static let keys = own + ChannelSettings.keys.map(decided)

    private static let own: [SettingKey<Namespace>] = [
        .optional(
            "keyset", into: \.keyset, expected: "the NAME of a section [keyset NAME]",
            "The keyset whose channels these are. Without one they are those of every keyset.",
            parse: { SectionName.isValid($0) ? $0 : nil }, format: { $0 }),
        .list(
            "channels", into: \.patterns, isRequired: true,
            expected: "names of channels separated by commas; one that ends in * stands for all"
                + " that begin like it, such as chat.*",
            "Names of channels, or how they begin, with a * behind that. The longest that fits a"
                + " channel wins; a whole name is longer than any with a *.",
            parse: { ChannelPattern($0) }, format: { $0.text }
        ).with(\.example, "chat.*"),
    ]

    /// What a keyset says for all its channels, and a namespace may say for its own.
    private static func decided(_ key: SettingKey<ChannelSettings>) -> SettingKey<Namespace> {
        key.reading(
            { text, namespace in
                guard key.read(text, &namespace.said) else { return false }
                namespace.decided.insert(key.name)
                return true
            },
            { $0.decided.contains(key.name) ? key.write($0.said) : nil },
            { from, to in
                key.copy(from.said, &to.said)
                to.decided.insert(key.name)
            }
        ).with(\.isInherited, true)
    }

    /// Whether it is about channels of a keyset; the lone one has no name.
    func isAbout(_ keyset: String?) -> Bool { self.keyset == nil || self.keyset == keyset }

    /// What holds for its channels in a keyset.
    func settings(in keyset: Keyset) -> ChannelSettings {
        var settings = keyset.defaults
        for key in ChannelSettings.keys where decided.contains(key.name) {
            key.copy(said, &settings)
        }
        return settings
    }
}

extension Configuration {
    /// The tenants, the first of the file being that of clients that name none.
    var keysets: Keysets {
        Keysets(
            namedKeysets.map { withNamespaces($0.keyset, of: $0.name) },
            lone: withNamespaces(Keyset(subscribeKey: Channel.defaultKeyset), of: nil))
    }

    private func withNamespaces(_ keyset: Keyset, of name: String?) -> Keyset {
        var keyset = keyset
        for namespace in namespaces where namespace.isAbout(name) {
            let settings = namespace.settings(in: keyset)
            for pattern in namespace.patterns {
                keyset.namespaces.set(settings, for: pattern)
            }
        }
        return keyset
    }
}

extension SectionCollector<Namespace> {
    /// What the namespaces of these keysets lack, or have in common.
    func mistakes(in keysets: [NamedKeyset]) -> [ConfigurationError] {
        var mistakes: [ConfigurationError] = []
        var count = 0
        for (index, namespace) in sections.enumerated() {
            guard let line = source(of: "channels", in: namespace) else {
                mistakes.append(
                    .missing(
                        beginning(of: namespace), section: namespace.title,
                        line: "channels = \(namespace.name).*"))
                continue
            }
            count += namespace.patterns.count
            guard count <= Limits.namespacePatternsMax else {
                let limit = Limits.namespacePatternsMax
                return mistakes + [.tooMany(line, "channels named in namespaces", max: limit)]
            }
            for (pattern, other) in shared(by: namespace, with: sections[..<index]) {
                mistakes.append(
                    .samePattern(line, pattern.text, in: namespace.title, and: other.title))
            }
            let about = keysets.filter { namespace.isAbout($0.name) }
            if let name = namespace.keyset, about.isEmpty {
                let nearest = Spelling.nearest(to: name, among: keysets.map(\.name))
                mistakes.append(
                    .unknownSection(
                        source(of: "keyset", in: namespace) ?? line,
                        section: "keyset \(name)", nearest: nearest.map(NamedKeyset.title)))
            }
            let tenants = keysets.isEmpty ? [NamedKeyset(name: "")] : about
            if let contradiction = contradiction(in: namespace, of: tenants) {
                mistakes.append(contradiction)
            }
        }
        return mistakes
    }

    /// The first contradiction that a namespace comes to in one of its tenants.
    private func contradiction(
        in namespace: Namespace, of tenants: [NamedKeyset]
    ) -> ConfigurationError? {
        var looked: ChannelSettings?
        for tenant in tenants {
            let settings = namespace.settings(in: tenant.keyset)
            // Mostly what it is in all: long lists are looked at once.
            if settings == looked { continue }
            if let found = contradiction(in: namespace, settings) { return found }
            looked = settings
        }
        return nil
    }

    /// Patterns that an earlier namespace has for the same channels, or the same one before.
    private func shared(
        by namespace: Namespace, with earlier: ArraySlice<Namespace>
    ) -> [(pattern: ChannelPattern, with: Namespace)] {
        namespace.patterns.enumerated().compactMap { index, pattern in
            if namespace.patterns[..<index].contains(pattern) {
                return (pattern, namespace)
            }
            return earlier.first { other in
                (other.isAbout(namespace.keyset) || namespace.isAbout(other.keyset))
                    && other.patterns.contains(pattern)
            }.map { (pattern, $0) }
        }
    }
}
