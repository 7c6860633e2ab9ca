// Tables for the keysets' tests: good values, and mistakes with what is said about them.

import Testing

@testable import SyncDaemon

/// One value per key of a keyset, other than its default.
struct KeysetSample: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let written: String

    var testDescription: String { "\(name) = \(text)" }

    init(_ name: String, _ text: String, written: String? = nil) {
        self.name = name
        self.text = text
        self.written = written ?? text
    }

    static let all = [
        KeysetSample("subscribe_key", "sub-c-5a3f_1.A"), KeysetSample("publish_key", "pub-c-1"),
        KeysetSample("secret_key", "sec-c-M2Y+/=="),
        KeysetSample("secret_key_file", "credential:web"),
        KeysetSample("secret_key_previous", "sec-c-old"),
        KeysetSample("secret_key_previous_file", "credential:old"),
        KeysetSample("files_url", "https://chat.example.com:8443"),
        KeysetSample("store", "off", written: "no"), KeysetSample("retention_hours", "24"),
        KeysetSample("least_window", "50"),
        KeysetSample("delete", "no"), KeysetSample("reactions", "no"),
        KeysetSample("reaction_mode", "unique"),
        KeysetSample("reaction_values", "👍, ❤", written: "👍, ❤\u{FE0F}"),
        KeysetSample("reaction_aliases", "like=👍,love=❤", written: "like=👍, love=❤\u{FE0F}"),
        KeysetSample("reaction_types", "reactions, like"),
        KeysetSample("actions_need_message", "yes"),
        KeysetSample("values_per_message_max", "20"), KeysetSample("actions_per_user_max", "3"),
        KeysetSample("actions_per_message_max", "1000"),
        KeysetSample("presence", "NO", written: "no"),
        KeysetSample("presence_timeout", "60"), KeysetSample("presence_timeout_min", "20"),
        KeysetSample("announce_max", "0"), KeysetSample("announce_interval", "60"),
        KeysetSample("presence_deltas", "yes"), KeysetSample("files", "yes"),
        KeysetSample("max_file_bytes", "1M", written: "1048576"),
        KeysetSample("file_types", "image/*, Application/PDF", written: "image/*, application/pdf"),
        KeysetSample("access_control", "true", written: "yes"),
        KeysetSample("jwks_file", "credential:jwks"),
        KeysetSample("server_keys_file", "credential:servers"),
        KeysetSample("jwt_issuer", "https://id.example"), KeysetSample("jwt_audience", "chat"),
        KeysetSample("connections_max", "100"), KeysetSample("subscriptions_max", "5000"),
        KeysetSample("memberships_max", "0"), KeysetSample("groups_max", "10"),
        KeysetSample("channels_max", "1000"), KeysetSample("stored_bytes_max", "1000000"),
        KeysetSample("commands_per_second_max", "50"),
    ]
}

/// A wrong file, and what is said about it.
struct KeysetMistake: Sendable, CustomTestStringConvertible {
    let file: String
    let message: String

    var testDescription: String { message }

    init(_ file: String, _ message: String) {
        self.file = file
        self.message = "sync.ini:" + message
    }

    static let all = sections + keys

    private static let sections = [
        KeysetMistake(
            "# x\n[keyset web]\nstore = yes\n[keyset app]\nsubscribe_key = a\n",
            "2: [keyset web] has no subscribe_key. Write a line such as subscribe_key = sub-web "
                + "below it."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = a\n\n[keyset web]",
            "4: [keyset web] has no subscribe_key. Write a line such as subscribe_key = sub-web "
                + "below it."),
        KeysetMistake(
            "[keyset]\nsubscribe_key = a\n",
            "1: there is no section [keyset]. Did you mean [keyset NAME]?"),
        KeysetMistake(
            "[keysets web]\nsubscribe_key = a\n",
            "2: there is no section [keysets web]. Did you mean [keyset web]?"),
        KeysetMistake(
            "[keyset my web]\n",
            "1: the name of a keyset cannot be \"my web\". Write 1 to 32 letters, digits, dots, "
                + "- or _."),
        KeysetMistake(
            "[keyset \(String(repeating: "n", count: 33))]\n",
            "1: the name of a keyset cannot be \"\(String(repeating: "n", count: 33))\". Write 1 "
                + "to 32 letters, digits, dots, - or _."),
        KeysetMistake(
            "[keyset web]\nsubscribe_key = a\n[keyset  web ]\nsubscribe_key = b\n",
            "3: [keyset web] is given a second time. Keep one of the two."),
    ]

    private static let keys = [
        KeysetMistake(
            "[keyset a]\nchannels = x\n",
            "2: there is no key [keyset a] channels. Did you mean [namespace NAME] channels?"),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = x\n[keyset b]\n\nsubscribe_key = x\n",
            "5: [keyset b] subscribe_key is that of [keyset a] already. Give each keyset a key of "
                + "its own."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = x\npublish_key = p\n[keyset b]\nsubscribe_key = y\n"
                + "publish_key = p\n",
            "6: [keyset b] publish_key is that of [keyset a] already. Give each keyset a key of "
                + "its own."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = x\n[keyset b]\nsubscribe_key = y\npublish_key = x\n",
            "5: [keyset b] publish_key is the subscribe_key of [keyset a] already. Give each "
                + "keyset a key of its own."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = x\nsubscribe_key = y\n",
            "3: [keyset a] subscribe_key is given a second time. Keep one of the two."),
        KeysetMistake(
            "[keyset a]\nsubscrib_key = x\n",
            "2: there is no key [keyset a] subscrib_key. Did you mean subscribe_key?"),
        KeysetMistake(
            "[keyset a]\nlisten = x\n",
            "2: there is no key [keyset a] listen. Did you mean [server] listen?"),
        KeysetMistake(
            "[keyset a]\nqwertyuiop = x\n",
            "2: there is no key [keyset a] qwertyuiop. See syncdaemon config print."),
        KeysetMistake(
            "[server]\nsecret_key = x\n",
            "2: there is no key [server] secret_key. Did you mean [keyset NAME] secret_key?"),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = a/b\n",
            "2: subscribe_key cannot be \"a/b\". Write 1 to 128 letters, digits, dots, - or _."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key =\n",
            "2: subscribe_key cannot be \"\". Write 1 to 128 letters, digits, dots, - or _."),
        KeysetMistake(
            "[keyset a]\npublish_key = \(String(repeating: "k", count: 129))\n",
            "2: publish_key cannot be \"\(String(repeating: "k", count: 129))\". Write 1 to 128 "
                + "letters, digits, dots, - or _."),
        KeysetMistake(
            "[keyset a]\nsecret_key = not one word\n",
            "2: secret_key cannot be \"***\". Write the key itself, 1 to 128 visible ASCII "
                + "characters."),
        KeysetMistake(
            "[keyset a]\nsecret_key = ***\n",
            "2: secret_key cannot be \"***\". Write the key itself, 1 to 128 visible ASCII "
                + "characters."),
        KeysetMistake(
            "[keyset a]\nsecret_key_file = the-secret-itself\n",
            "2: secret_key_file cannot be \"***\". Write the absolute path of a file, or "
                + "credential:NAME."),
        KeysetMistake(
            "[keyset a]\nannounce_interval = 9\n",
            "2: announce_interval cannot be \"9\". Write a whole number from 10 to 86400."),
        KeysetMistake(
            "[keyset a]\npresence_timeout_min = 4\n",
            "2: presence_timeout_min cannot be \"4\". Write a whole number from 5 to 86400."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = a\npresence_timeout_min = 20\npresence_timeout = 10\n",
            "4: presence_timeout cannot be \"10\". Write presence_timeout_min, which is 20, or "
                + "more."),
        KeysetMistake(
            "[keyset a]\nsubscribe_key = a\npresence_timeout_min = 301\n",
            "3: presence_timeout_min cannot be \"301\". Write presence_timeout, which is 300, or "
                + "less."),
        KeysetMistake(
            "[keyset a]\nretention_hours = -1\n",
            "2: retention_hours cannot be \"-1\". Write a whole number from 0 to 876000."),
        KeysetMistake(
            "[keyset a]\nannounce_max = 2K\n",
            "2: announce_max cannot be \"2K\". Write a whole number from 0 to 10000."),
        KeysetMistake(
            "[keyset a]\naccess_control = perhaps\n",
            "2: access_control cannot be \"perhaps\". Write yes or no."),
    ]
}
