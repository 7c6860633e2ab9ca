// What stands in a section [webhook NAME]: a receiver of events, and what it gets.

import EventModel

/// A webhook, and where its secrets stand.
struct NamedWebhook: NamedSection {
    static let word = "webhook"
    static let countMax = Limits.webhooksMax

    var webhook: Webhook
    /// The keyset whose channels they are, as `NamedKeyset.name`.
    var keysetName: String?
    var secretSource: SecretSource?
    var previousSource: SecretSource?

    var name: String { webhook.name }

    init(name: String) { webhook = Webhook(name: name) }

    static let keys = receiver + contents + requests

    private static let receiver: [SettingKey<NamedWebhook>] = [
        .value(
            "url", into: \.webhook.url,
            expected: "an address such as https://app.example.com/hook, without user and fragment;"
                + " http:// only of this machine (127.0.0.1, [::1] or localhost)",
            "Where requests go. Redirects are not followed, and no proxy of the environment is"
                + " asked.",
            parse: { isAddress($0) ? $0 : nil }, format: { $0.isEmpty ? nil : $0 }
        ).with(\.example, "https://app.example.com/hook"),
        .optional(
            "secret_file", into: \.secretSource,
            expected: "the absolute path of a file, or credential:NAME",
            "The file with the secret that signs requests, at least"
                + " \(Limits.webhookSecretBytesMin) characters: openssl rand -base64 33 makes one."
                + " What stands behind whsec_ is Base64 of the key itself.",
            parse: { SecretSource($0) }, format: { $0.description }
        ).with(\.example, "credential:hook"),
        .optional(
            "secret_previous_file", into: \.previousSource,
            expected: "the absolute path of a file, or credential:NAME",
            "While the secret is being replaced, the one before: requests are signed by both.",
            parse: { SecretSource($0) }, format: { $0.description }),
    ]

    private static let contents: [SettingKey<NamedWebhook>] = [
        .optional(
            "keyset", into: \.keysetName, expected: "the NAME of a section [keyset NAME]",
            "The keyset whose events these are. Without one they are those of every keyset.",
            parse: { SectionName.isValid($0) ? $0 : nil }, format: { $0 }),
        .list(
            "channels", into: \.webhook.patterns,
            expected: "names of channels separated by commas; one that ends in * stands for all"
                + " that begin like it, such as chat.*",
            "Names of channels, or how they begin, with a * behind that. Without any: all.",
            parse: { ChannelPattern($0) }, format: { $0.text }
        ).with(\.elementsMax, Limits.webhookPatternsMax),
        .list(
            "events", into: \.webhook.kinds,
            expected: Webhook.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                + ", separated by commas",
            "What is told. entry is whatever happens to users, channels and members. What is not"
                + " stored (signals, presence, messages without a place in the store) never is.",
            parse: { Webhook.Kind(rawValue: $0) }, format: { $0.rawValue }),
        .choice(
            "collect", into: \.webhook.collecting,
            "author: reactions to messages of one author, by others, become one request per"
                + " author and collect_seconds, with counts. Nothing else is told then."),
        .number(
            "collect_seconds", 1...3600, into: \.webhook.collectSeconds,
            "Seconds from the first reaction to the request."),
        .choice(
            "devices", into: \.webhook.devices,
            "yes: each event comes with the devices that are registered for its channel by"
                + " mobile push, at most \(Limits.devicesPerChannelMax). only: the same, and events"
                + " of channels without any are not told. Not with collect."),
    ]

    private static let requests: [SettingKey<NamedWebhook>] = [
        .number(
            "batch_events_max", 1...Limits.webhookEventsMax, into: \.webhook.eventsMax,
            "Events in one request."),
        .number(
            "batch_milliseconds", 0...10_000, into: \.webhook.windowMilliseconds,
            "Milliseconds that an event waits for others."),
        .number(
            "timeout_seconds", 1...300, into: \.webhook.timeoutSeconds,
            "Seconds in which the receiver has to answer."),
    ]

    /// Whether requests can go there without others reading them.
    @Sendable
    static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.webhookAddressBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }),
            !text.contains("#"), let separator = text.firstRange(of: "://")
        else { return false }
        let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let host = host(in: authority)
        guard !host.isEmpty, !authority.contains("@") else { return false }
        switch text[..<separator.lowerBound] {
        case "https": return true
        case "http": return host == "localhost" || ListenAddress("\(host):0")?.isLoopback == true
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

    /// Whether a text may sign requests.
    static func isSecret(_ text: String) -> Bool {
        (Limits.webhookSecretBytesMin...Limits.webhookSecretBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && (!text.hasPrefix("whsec_") || WebhookSignature.key(of: text) != Array(text.utf8))
    }
}

extension Configuration {
    /// The webhooks as the ledger and the deliveries take them.
    var webhooks: [Webhook] {
        namedWebhooks.map { named in
            var webhook = named.webhook
            if let name = named.keysetName {
                webhook.keyset = namedKeysets.first { $0.name == name }?.keyset.subscribeKey
            }
            return webhook
        }
    }
}

extension SectionCollector<NamedWebhook> {
    /// What the webhooks lack.
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
    /// Gets the secrets of webhooks, and says who else may read them.
    mutating func takeWebhookSecrets(
        _ environment: [String: String], read: (_ path: String) -> SecretFile
    ) {
        for index in configuration.namedWebhooks.indices {
            let named = configuration.namedWebhooks[index]
            let secrets = [
                ("secret_file", named.secretSource), ("secret_previous_file", named.previousSource),
            ]
            for (key, source) in secrets {
                let line = configuration.sources["webhook \(named.name).\(key)"] ?? .standard
                guard let source, let (path, file) = text(of: source, environment, line, read)
                else { continue }
                if file.isForOthers {
                    warnings.append(
                        .secretFileForOthers(
                            line, path: path, isOurs: file.isOurs, setting: key))
                }
                // Editors end a file with a line feed.
                let secret = String(file.text.prefix { !$0.isNewline })
                guard NamedWebhook.isSecret(secret),
                    file.text.dropFirst(secret.count).allSatisfy(\.isNewline)
                else {
                    mistakes.append(.badWebhookSecret(line, path: path))
                    continue
                }
                configuration.namedWebhooks[index].webhook.secrets.append(secret)
            }
        }
    }
}
