// What stands in a section [webhook NAME]: a receiver of events, and what it gets.

import EventModel

/// A webhook, and where its secrets stand.
struct NamedWebhook: SignedSection {
    static let word = "webhook"
    static let countMax = Limits.webhooksMax

    var webhook: Webhook
    /// The keyset whose channels they are, as `NamedKeyset.name`.
    var keysetName: String?
    var secretSource: SecretSource?
    var previousSource: SecretSource?

    var url: String {
        get { webhook.url }
        set { webhook.url = newValue }
    }
    var patterns: [ChannelPattern] {
        get { webhook.patterns }
        set { webhook.patterns = newValue }
    }
    var secrets: [String] {
        get { webhook.secrets }
        set { webhook.secrets = newValue }
    }

    var name: String { webhook.name }

    init(name: String) { webhook = Webhook(name: name) }

    static let keys =
        receiverKeys(example: "https://app.example.com/hook") + channelKeys + contents + requests

    private static let contents: [SettingKey<NamedWebhook>] = [
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
}

extension SectionCollector<NamedWebhook> {
    /// Those that would be told of nothing.
    var mute: [ConfigurationError] {
        sections.filter(\.webhook.kinds.isEmpty).map { section in
            .badValue(
                source(of: "events", in: section) ?? beginning(of: section), key: "events",
                value: "",
                expected: "one of " + Webhook.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                    + " at least; or take the section away")
        }
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

    /// Webhooks that collect reactions, which come without devices.
    var vainDevices: [ConfigurationWarning] {
        namedWebhooks.compactMap { named in
            guard named.webhook.collecting != .nothing, named.webhook.devices != .no,
                let line = sources["\(NamedWebhook.word) \(named.name).devices"]
            else { return nil }
            return .saidInVain(
                line, "\(named.title) devices",
                what: "with collect = \(named.webhook.collecting.rawValue) reactions are told,"
                    + " which come without devices",
                instead: "Leave devices out, or collect; for both write two sections")
        }
    }

    /// Webhooks that are to be told of entries, and whose channels let none of them through.
    var vainEntries: [ConfigurationWarning] {
        namedWebhooks.compactMap { named in
            guard named.webhook.kinds.contains(.entry), !named.patterns.isEmpty,
                !named.patterns.contains(where: \.mayFitDirectory),
                let line = sources["\(NamedWebhook.word) \(named.name).channels"]
            else { return nil }
            return .saidInVain(
                line, "\(named.title) channels",
                what: "events names entry, and no entry is in one of these",
                instead: "Add the directories where entries are: $users, $channels, $members:*,"
                    + " $memberships:*")
        }
    }
}

extension ChannelPattern {
    /// Whether it stands for a directory, among others.
    fileprivate var mayFitDirectory: Bool {
        guard text.hasSuffix("*") else { return Directory(channelName: text) != nil }
        let beginning = text.dropLast()
        let lists = [Directory.members(channel: ""), .memberships(user: "")].map(\.channelName)
        return ([Directory.users, .channels].map(\.channelName) + lists).contains {
            $0.hasPrefix(beginning)
        } || lists.contains { beginning.hasPrefix($0) }
    }
}
