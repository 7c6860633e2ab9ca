// Sections whose requests go to a server of the owner's, and are signed.

import EventModel

/// A webhook or an interceptor: where its requests go, what signs them, of which channels it is.
protocol SignedSection: NamedSection {
    var url: String { get set }
    /// The keyset whose channels they are, as `NamedKeyset.name`.
    var keysetName: String? { get set }
    var patterns: [ChannelPattern] { get set }
    var secretSource: SecretSource? { get set }
    var previousSource: SecretSource? { get set }
    /// As the files have them.
    var secrets: [String] { get set }
}

extension SignedSection {
    static func receiverKeys(example: String) -> [SettingKey<Self>] {
        [
            .value(
                "url", into: \.url,
                expected: "an address such as \(example), without user and fragment;"
                    + " http:// only of this machine (127.0.0.1, [::1] or localhost)",
                "Where requests go. Redirects are not followed, and no proxy of the environment is"
                    + " asked.",
                parse: { SignedAddress.isValid($0) ? $0 : nil }, format: { $0.isEmpty ? nil : $0 }
            ).with(\.example, example),
            .optional(
                "secret_file", into: \.secretSource,
                expected: "the absolute path of a file, or credential:NAME",
                "The file with the secret that signs requests, at least"
                    + " \(Limits.webhookSecretBytesMin) characters: openssl rand -base64 33 makes"
                    + " one. What stands behind whsec_ is Base64 of the key itself.",
                parse: { SecretSource($0) }, format: { $0.description }
            ).with(\.example, "credential:hook"),
            .optional(
                "secret_previous_file", into: \.previousSource,
                expected: "the absolute path of a file, or credential:NAME",
                "While the secret is being replaced, the one before: requests are signed by both.",
                parse: { SecretSource($0) }, format: { $0.description }),
        ]
    }

    static var channelKeys: [SettingKey<Self>] {
        [
            .optional(
                "keyset", into: \.keysetName, expected: "the NAME of a section [keyset NAME]",
                "The keyset whose events these are. Without one they are those of every keyset.",
                parse: { SectionName.isValid($0) ? $0 : nil }, format: { $0 }),
            .list(
                "channels", into: \.patterns,
                expected: "names of channels separated by commas; one that ends in * stands for all"
                    + " that begin like it, such as chat.*",
                "Names of channels, or how they begin, with a * behind that. Without any: all.",
                parse: { ChannelPattern($0) }, format: { $0.text }
            ).with(\.elementsMax, Limits.webhookPatternsMax),
        ]
    }

    /// Whether a text may sign requests.
    static func isSecret(_ text: String) -> Bool {
        (Limits.webhookSecretBytesMin...Limits.webhookSecretBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && (!text.hasPrefix("whsec_") || WebhookSignature.key(of: text) != Array(text.utf8))
    }
}

/// Where requests may go.
enum SignedAddress {
    /// Whether requests can go there without others reading them.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.webhookAddressBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }),
            !text.contains("#"), let separator = text.firstRange(of: "://")
        else { return false }
        let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let host = host(in: authority)
        guard !host.isEmpty, !authority.contains("@") else { return false }
        switch text[..<separator.lowerBound].lowercased() {
        case "https": return true
        case "http":
            return host.lowercased() == "localhost"
                || ListenAddress("\(host):0")?.isLoopback == true
        default: return false
        }
    }

    /// Without its port; empty when it is none.
    private static func host(in authority: Substring) -> Substring {
        var host = authority
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let port = authority[authority.index(after: colon)...]
            guard let number = UInt16(port), number > 0 else { return "" }
            host = authority[..<colon]
        }
        let isName = host.utf8.allSatisfy(SectionName.isWordByte)
        let isIPv6 = host.hasPrefix("[") && ListenAddress("\(host):0")?.isIPv6 == true
        return isName || isIPv6 ? host : ""
    }
}

extension SectionCollector where Section: SignedSection {
    /// What the sections lack.
    func mistakes(in keysets: [NamedKeyset]) -> [ConfigurationError] {
        sections.flatMap { named -> [ConfigurationError] in
            var mistakes: [ConfigurationError] = []
            for (key, line) in [
                ("url", "url = https://app.example.com/hook"),
                ("secret_file", "secret_file = /etc/syncdaemon/\(named.name).secret"),
            ] where source(of: key, in: named) == nil {
                mistakes.append(
                    .missing(beginning(of: named), section: named.title, line: line))
            }
            if let name = named.keysetName, !keysets.contains(where: { $0.name == name }) {
                let nearest = Spelling.nearest(to: name, among: keysets.map(\.name))
                mistakes.append(
                    .unknownSection(
                        source(of: "keyset", in: named) ?? beginning(of: named),
                        section: "keyset \(name)", nearest: nearest.map(NamedKeyset.title)))
            }
            return mistakes
        }
    }
}

extension Examination {
    /// Gets the secrets of webhooks and interceptors, and says who else may read them.
    mutating func takeSigningSecrets(
        _ environment: [String: String], read: (_ path: String) -> SecretFile
    ) {
        for index in configuration.namedWebhooks.indices {
            configuration.namedWebhooks[index].secrets +=
                secrets(of: configuration.namedWebhooks[index], environment, read)
        }
        for index in configuration.namedInterceptors.indices {
            configuration.namedInterceptors[index].secrets +=
                secrets(of: configuration.namedInterceptors[index], environment, read)
        }
    }

    private mutating func secrets<Section: SignedSection>(
        of section: Section, _ environment: [String: String],
        _ read: (_ path: String) -> SecretFile
    ) -> [String] {
        [
            ("secret_file", section.secretSource), ("secret_previous_file", section.previousSource),
        ].compactMap { key, source in
            let line =
                configuration.sources["\(Section.word) \(section.name).\(key)"] ?? .standard
            guard let source, let (path, file) = text(of: source, environment, line, read)
            else { return nil }
            if file.isForOthers {
                warnings.append(
                    .secretFileForOthers(line, path: path, isOurs: file.isOurs, setting: key))
            }
            guard let secret = file.onlyLine, Section.isSecret(secret) else {
                mistakes.append(.badWebhookSecret(line, path: path))
                return nil
            }
            return secret
        }
    }
}
