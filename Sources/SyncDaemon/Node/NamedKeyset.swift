// What stands in a section [keyset NAME]: a tenant's settings, in the file only.

import EventModel

/// A tenant with the name that people know it by.
struct NamedKeyset: NamedSection {
    static let word = "keyset"
    static let countMax = Limits.keysetsMax

    let name: String
    var keyset: Keyset
    /// Where its secret key stands; `nil` when it stands in the configuration file, or nowhere.
    var secretSource: SecretSource?
    /// Where the one before stands, likewise.
    var previousSource: SecretSource?
    /// Where the keys of web tokens stand.
    var webKeySource: SecretSource?
    /// Where the keys of the tenant's own servers stand.
    var serverKeySource: SecretSource?

    /// The secret key that stands in the configuration file: what came from elsewhere is not shown
    /// as if it stood there.
    private var writtenSecret: String? {
        get { secretSource == nil ? keyset.secretKey : nil }
        set { keyset.secretKey = newValue }
    }

    private var writtenPrevious: String? {
        get { previousSource == nil ? keyset.previousSecretKey : nil }
        set { keyset.previousSecretKey = newValue }
    }

    private static let keyBytesMax = 128
    /// Ends the sentence "Write …".
    static let keyExpected = "1 to \(keyBytesMax) letters, digits, dots, - or _"
    /// Ends the sentence "Write …".
    static let secretExpected = "the key itself, 1 to \(keyBytesMax) visible ASCII characters"

    static let keys =
        own + ChannelSettings.keys.map { $0.inside(\.keyset.defaults) } + access + quotas

    private static let own: [SettingKey<NamedKeyset>] = [
        .value(
            "subscribe_key", into: \.keyset.subscribeKey, expected: keyExpected,
            "The key by which clients name this keyset. Each keyset must have its own.",
            parse: key, format: { $0.isEmpty ? nil : $0 }
        ).with(\.example, "sub-example"),
        .optional(
            "publish_key", into: \.keyset.publishKey, expected: keyExpected,
            "The key that publishers must name, SDKs and WebSockets alike. Without one any key is"
                + " accepted.",
            parse: key, format: { $0 }),
        .optional(
            "secret_key", into: \.writtenSecret, expected: secretExpected,
            "Signs the requests of your backend, and the tokens that it has made. Whoever can read"
                + " this file can read it here; see secret_key_file.",
            parse: { isSecretKey($0) ? $0 : nil }, format: { $0 }
        ).with(\.isSecret, true),
        .optional(
            "secret_key_file", into: \.secretSource,
            expected: "the absolute path of a file, or credential:NAME",
            "The file that holds the secret_key. credential:NAME stands for what systemd"
                + " passes with LoadCredential=NAME:/PATH.",
            parse: { SecretSource($0) }, format: { $0.description }),
        .optional(
            "secret_key_previous", into: \.writtenPrevious, expected: secretExpected,
            "While secret_key is being replaced, the one before: what it signed is good, too.",
            parse: { isSecretKey($0) ? $0 : nil }, format: { $0 }
        ).with(\.isSecret, true),
        .optional(
            "secret_key_previous_file", into: \.previousSource,
            expected: "the absolute path of a file, or credential:NAME",
            "The file that holds the secret_key_previous.",
            parse: { SecretSource($0) }, format: { $0.description }),
        .optional(
            "files_url", into: \.keyset.filesAddress,
            expected: "an address such as https://chat.example.com, without a path",
            "How clients reach the daemon for files. Without it: as they did when they asked, which"
                + " is wrong behind a proxy that ends TLS.",
            parse: { isOrigin($0) ? $0 : nil }, format: { $0 }),
    ]

    @Sendable
    private static func isOrigin(_ text: String) -> Bool {
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map {
            text.dropFirst($0.count)
        }
        guard let rest, !rest.isEmpty else { return false }
        return rest.utf8.allSatisfy { byte in
            (0x21...0x7e).contains(byte) && !"/?#@\\\"".utf8.contains(byte)
        }
    }

    private static let access: [SettingKey<NamedKeyset>] = [
        .yesOrNo(
            "access_control", into: \.keyset.isAccessControlled,
            "Admits only who shows a token: one that the secret_key made, or one that a key of"
                + " jwks_file signed."),
        .optional(
            "jwks_file", into: \.webKeySource,
            expected: "the absolute path of a file, or credential:NAME",
            "The file with the JSON Web Key Set whose tokens (JWT) are good here.",
            parse: { SecretSource($0) }, format: { $0.description }),
        .optional(
            "server_keys_file", into: \.serverKeySource,
            expected: "the absolute path of a file, or credential:NAME",
            "The file with the keys that your own servers show to the HTTP API: JSON,"
                + " {\"keys\":[{\"name\":\"backend\",\"key\":\"...\"}]}.",
            parse: { SecretSource($0) }, format: { $0.description }),
        .optional(
            "jwt_issuer", into: \.keyset.tokenIssuer, expected: nameExpected,
            "What these tokens have to name as iss. Without it any is taken.",
            parse: name, format: { $0 }),
        .optional(
            "jwt_audience", into: \.keyset.tokenAudience, expected: nameExpected,
            "What they have to name as aud. Without it any is taken.",
            parse: name, format: { $0 }),
    ]

    private static let quotas: [SettingKey<NamedKeyset>] = [
        .number(
            "connections_max", 1...10_000_000, into: \.keyset.quotas.connections,
            "Sessions and HTTP connections of this keyset's clients at a time."),
        .number(
            "subscriptions_max", 1...100_000_000, into: \.keyset.quotas.subscriptions,
            "Channels and groups that they follow, all together."),
        .number(
            "memberships_max", 0...100_000_000, into: \.keyset.quotas.memberships,
            "Users in channels, as presence counts them."),
        .number(
            "groups_max", 0...Limits.groupsPerKeysetMax, into: \.keyset.quotas.groups,
            "Channel groups of this keyset."),
        .number(
            "channels_max", 1...Limits.channelsPerKeysetMax, into: \.keyset.quotas.channels,
            "Channels of this keyset that were ever written to."),
        .number(
            "stored_bytes_max", 1...Limits.storedBytesPerKeysetMax, bytes: true,
            into: \.keyset.quotas.storedBytes,
            "Bytes of its stored messages and reactions, with 100 for each."),
        .number(
            "commands_per_second_max", 1...10_000_000, into: \.keyset.quotas.commandsPerSecond,
            "Commands and requests of all its clients per second, after a burst of as many."),
    ]

    private static let nameExpected = "1 to \(Limits.identifierBytesMax) bytes"

    @Sendable
    private static func name(_ text: String) -> String? {
        (1...Limits.identifierBytesMax).contains(text.utf8.count) ? text : nil
    }

    /// Keys stand in URLs, so they consist of what needs no escaping there (RFC 3986, section 2.3).
    @Sendable
    private static func key(_ text: String) -> String? { isKey(text) ? text : nil }

    static func isKey(_ text: String) -> Bool {
        (1...keyBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy(SectionName.isWordByte)
    }

    /// What `config print` shows instead of a secret is none: its output is no file to use as it
    /// is.
    static func isSecretKey(_ text: String) -> Bool {
        (1...keyBytesMax).contains(text.utf8.count)
            && text != SettingKey<NamedKeyset>.hiddenSecret
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension NamedKeyset {
    init(name: String) {
        self.init(name: name, keyset: Keyset(subscribeKey: ""))
    }
}

extension SectionCollector<NamedKeyset> {
    /// What the keysets lack, or have in common.
    var mistakes: [ConfigurationError] {
        let missing = sections.filter { source(of: "subscribe_key", in: $0) == nil }
        return missing.map {
            .missing(
                beginning(of: $0), section: $0.title, line: "subscribe_key = sub-\($0.name)")
        } + sharedKeys + sections.compactMap { contradiction(in: $0, $0.keyset.defaults) }
    }

    /// Who has a key could do in both tenants what it is for in one.
    private var sharedKeys: [ConfigurationError] {
        var owners: [String: (keyset: String, key: String)] = [:]
        var mistakes: [ConfigurationError] = []
        for named in sections {
            let own: [(name: String, value: String?)] = [
                ("subscribe_key", named.keyset.subscribeKey),
                ("publish_key", named.keyset.publishKey),
            ]
            for (name, value) in own {
                // One whose key is wrong has been named already.
                guard let value, !value.isEmpty else { continue }
                guard let owner = owners[value] else {
                    owners[value] = (named.name, name)
                    continue
                }
                guard owner.keyset != named.name, let source = source(of: name, in: named) else {
                    continue
                }
                mistakes.append(
                    .sameKey(
                        source, keyset: named.name, key: name, other: owner.keyset,
                        otherKey: owner.key))
            }
        }
        return mistakes
    }
}
