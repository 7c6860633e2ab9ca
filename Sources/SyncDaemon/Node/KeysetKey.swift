// What one setting of a keyset is: how its value is written, and what it means.

import EventModel

/// A row of the table of what stands in a section `[keyset NAME]`; in the file only.
struct KeysetKey: Sendable {
    /// The field that a setting fills.
    typealias Field<Value> = any WritableKeyPath<Keyset, Value> & Sendable

    let name: String
    /// Ends the sentence "Write …".
    let expected: String
    /// A sentence or two; says the unit.
    let summary: String
    /// Whether people must not see the value.
    var isSecret = false
    /// What a keyset in a sample has, when there is no default.
    var example: String?
    /// Reads a value's text into the keyset; false when it cannot be read.
    let read: @Sendable (String, inout NamedKeyset) -> Bool
    /// The value as it would be written in the file; nil when it is not set.
    let write: @Sendable (NamedKeyset) -> String?

    /// The default, for people.
    var standard: String? {
        write(NamedKeyset(name: "", keyset: Keyset(subscribeKey: "")))
    }

    /// Such as `[keyset web] store`.
    func title(in keyset: String) -> String { "[keyset \(keyset)] \(name)" }

    static func named(_ name: String) -> KeysetKey? {
        all.first { $0.name == name }
    }

    /// What stands for a secret where people see it.
    static let hiddenSecret = "***"
    static let keyBytesMax = 128
    /// Ends the sentence "Write …".
    static let secretExpected =
        "the key itself, 1 to \(keyBytesMax) visible ASCII characters"
}

extension KeysetKey {
    static let all = [
        KeysetKey(
            name: "subscribe_key",
            expected: "1 to \(keyBytesMax) letters, digits, dots, - or _",
            summary: "The key by which clients name this keyset. Each keyset must have its own.",
            example: "sub-example",
            read: { text, keyset in
                guard isKey(text) else { return false }
                keyset.keyset.subscribeKey = text
                return true
            },
            write: { $0.keyset.subscribeKey.isEmpty ? nil : $0.keyset.subscribeKey }),
        text(
            "publish_key", into: \.publishKey,
            expected: "1 to \(keyBytesMax) letters, digits, dots, - or _", isValid: isKey,
            "The key that publishers must name, SDKs and WebSockets alike. Without one any key is"
                + " accepted."),
        KeysetKey(
            name: "secret_key", expected: secretExpected,
            summary: "Signs the requests of administrators. Whoever can read this file can read it"
                + " here; see secret_key_file.",
            isSecret: true,
            read: { text, keyset in
                guard isSecretKey(text) else { return false }
                keyset.keyset.secretKey = text
                return true
            },
            // What came from elsewhere is not shown as if it stood here.
            write: { $0.secretSource == nil ? $0.keyset.secretKey : nil }),
        KeysetKey(
            name: "secret_key_file",
            expected: "the absolute path of a file, or credential:NAME",
            summary: "The file that holds the secret_key. credential:NAME stands for what systemd"
                + " passes with LoadCredential=NAME:/PATH.",
            read: { text, keyset in
                keyset.secretSource = SecretSource(text)
                return keyset.secretSource != nil
            },
            write: { $0.secretSource?.description }),
        yesOrNo(
            "store", into: \.keepsMessages,
            "Whether messages are stored. With no, none is, whatever its publisher says."),
        number(
            "retention_hours", 0...876_000, into: \.hoursKept,
            "Hours after which messages are deleted. 0 keeps them."),
        number(
            "least_window", 0...Limits.batchWindowMax, into: \.batchWindow,
            "Milliseconds that events wait for more, if longer than [limits] batch_window."),
        yesOrNo("delete", into: \.allowsDeleting, "Whether clients may delete messages."),
        yesOrNo("presence", into: \.hasPresence, "Whether clients can ask who is in a channel."),
        number(
            "presence_timeout", Limits.presenceSecondsMin...Limits.presenceSecondsMax,
            into: \.presenceSeconds,
            "Seconds that a user is in a channel after a heartbeat or a poll that names no time."),
        number(
            "presence_timeout_min", Limits.presenceSecondsMin...Limits.presenceSecondsMax,
            into: \.presenceSecondsMin,
            "The least seconds that a heartbeat or a poll may name; fewer are taken for these."),
        number(
            "announce_max", 0...10_000, into: \.announceMax,
            "Users in a channel above which single joins and leaves are no longer announced."),
        number(
            "announce_interval", 10...86_400, into: \.intervalSeconds,
            "Seconds between two announcements of how many users are in such a channel."),
        yesOrNo(
            "presence_deltas", into: \.sendsDeltas,
            "Whether those announcements also say who came and who left."),
        yesOrNo(
            "access_control", into: \.isAccessControlled,
            "Admits only who shows a token. Tokens do not exist yet, so it admits nobody."),
    ]

    private static func yesOrNo(
        _ name: String, into path: Field<Bool>, _ summary: String
    ) -> KeysetKey {
        KeysetKey(
            name: name, expected: "yes or no", summary: summary,
            read: { text, keyset in
                guard let flag = ConfigurationText.flag(text) else { return false }
                keyset.keyset[keyPath: path] = flag
                return true
            },
            write: { $0.keyset[keyPath: path] ? "yes" : "no" })
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, into path: Field<Int>, _ summary: String
    ) -> KeysetKey {
        KeysetKey(
            name: name,
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            summary: summary,
            read: { text, keyset in
                guard let number = ConfigurationText.wholeNumber(text), range.contains(number)
                else { return false }
                keyset.keyset[keyPath: path] = number
                return true
            },
            write: { String($0.keyset[keyPath: path]) })
    }

    private static func text(
        _ name: String, into path: Field<String?>, expected: String,
        isValid: @escaping @Sendable (String) -> Bool, _ summary: String
    ) -> KeysetKey {
        KeysetKey(
            name: name, expected: expected, summary: summary,
            read: { text, keyset in
                guard isValid(text) else { return false }
                keyset.keyset[keyPath: path] = text
                return true
            },
            write: { $0.keyset[keyPath: path] })
    }

    /// Keys stand in URLs, so they consist of what needs no escaping there (RFC 3986, section 2.3).
    private static func isKey(_ text: String) -> Bool {
        (1...keyBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy(KeysetSection.isWordByte)
    }

    /// What `config print` shows instead of a secret is none: its output is no file to use as it
    /// is.
    static func isSecretKey(_ text: String) -> Bool {
        (1...keyBytesMax).contains(text.utf8.count) && text != hiddenSecret
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
