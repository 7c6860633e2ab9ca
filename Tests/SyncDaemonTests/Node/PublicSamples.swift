// A configuration that may face the internet, and what is wrong with each that is a little other.

import Testing

@testable import SyncDaemon

/// A change that takes readiness away, and what is said about it.
struct PublicBreach: Sendable, CustomTestStringConvertible {
    /// The rule that finds it.
    let rule: String
    /// What of ``PublicSamples/right`` is replaced.
    let old: String
    let new: String
    /// All that is said.
    let said: String
    var credentials: PublicCredentials = .good

    var testDescription: String { "\(rule): \(new)" }

    init(
        _ rule: String, _ old: String, _ new: String, _ said: String,
        credentials: PublicCredentials = .good
    ) {
        self.rule = rule
        self.old = old
        self.new = new
        self.said = said
        self.credentials = credentials
    }
}

/// What stands in the file of a secret.
enum PublicCredentials: Sendable {
    case good, short, guessable, hyphenated, monotonous, repeated, doubled, webKeys, readable
    case writable, absent

    /// `nil` when there are no credentials.
    var file: SecretFile? {
        let drawn = "kV0nq4tCkXh3Yw8Zr1LmPz6GdB7sJfQe+u2TxA5o="
        return switch self {
        case .good: .text(SecretText(text: drawn, isForOthers: false))
        case .short: .text(SecretText(text: String(drawn.prefix(31)), isForOthers: false))
        case .guessable:
            .text(SecretText(text: "My-SECRET-" + drawn, isForOthers: false))
        case .monotonous:
            .text(SecretText(text: String(repeating: "abcdefg", count: 9), isForOthers: false))
        case .hyphenated:
            .text(
                SecretText(
                    text: String(repeating: "change-me-", count: 4), isForOthers: false))
        case .repeated:
            .text(
                SecretText(text: String(repeating: "Kq8ZpXv1", count: 8), isForOthers: false))
        case .doubled:
            .text(
                SecretText(
                    text: "FourLameMiceRun,FourLameMiceRun,", isForOthers: false))
        case .webKeys:
            .text(
                SecretText(
                    text: #"{"keys":[{"kty":"oct","k":"\#(Self.letters)"}]}"#,
                    isForOthers: false))
        case .readable: .text(SecretText(text: drawn, isForOthers: true, isOurs: true))
        case .writable: .text(SecretText(text: drawn, isForOthers: false, isWritable: true))
        case .absent: nil
        }
    }
}

extension PublicCredentials {
    /// As base64url, 32 times the letter a.
    private static let letters = String(repeating: "YWFh", count: 10) + "YWE"
}

enum PublicSamples {
    /// Its lines are counted in what is said.
    static let right = """
        [server]
        listen = 127.0.0.1:8080
        connections_per_address = 200000
        admin_listen = 127.0.0.1:8081
        allowed_origins = https://chat.example, app://chat
        allowed_hosts = chat.example
        insecure = no
        [store]
        kind = sqlite
        directory = /var/lib/syncdaemon
        [log]
        level = info
        [limits]
        memory_max = 2G
        [keyset web]
        subscribe_key = sub-web
        access_control = yes
        secret_key_file = credential:web

        """

    static let breaches = access + secrets + doors + bounds

    private static let access = [
        PublicBreach(
            "keysets", "access_control = yes", "access_control = no",
            "sync.ini:17: [keyset web] asks for no token: whoever knows its subscribe_key may read "
                + "and write everything in it. Write access_control = yes."),
        PublicBreach(
            "keysets", "access_control = yes\n", "",
            "sync.ini:16: [keyset web] asks for no token: whoever knows its subscribe_key may read "
                + "and write everything in it. Write access_control = yes."),
        PublicBreach(
            "keysets", "secret_key_file = credential:web\n", "",
            "sync.ini:17: [keyset web] asks for tokens, and has no key to check them with: nobody "
                + "comes in. Give it a secret_key, or a jwks_file."),
        PublicBreach(
            "keysets",
            """
            [keyset web]
            subscribe_key = sub-web
            access_control = yes
            secret_key_file = credential:web

            """, "",
            "default: there is no [keyset NAME]: every key names the one tenant \"default\", and "
                + "nobody needs a token. Write a keyset with access_control = yes."),
        PublicBreach(
            "insecure", "insecure = no", "insecure = yes",
            "sync.ini:7: [server] insecure is on: a keyset that is added without access_control is "
                + "open to everybody. Remove it."),
    ]

    private static let secrets = [
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] has fewer than 32 bytes: whoever has a "
                + "token can try keys until one fits. Draw one: head -c 32 /dev/urandom | base64",
            credentials: .short),
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] looks like an example: whoever has a "
                + "token can try keys until one fits. Draw one: head -c 32 /dev/urandom | base64",
            credentials: .guessable),
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] is made of very few characters: whoever "
                + "has a token can try keys until one fits. Draw one: head -c 32 /dev/urandom | "
                + "base64",
            credentials: .monotonous),
        PublicBreach(
            "strength", "access_control = yes\n",
            "access_control = yes\nsecret_key_previous = short\n",
            "sync.ini:18: the secret_key_previous of [keyset web] has fewer than 32 bytes: whoever "
                + "has a token can try keys until one fits. Draw one: head -c 32 /dev/urandom | "
                + "base64"),
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] looks like an example: whoever has a "
                + "token can try keys until one fits. Draw one: head -c 32 /dev/urandom | base64",
            credentials: .hyphenated),
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] repeats itself: whoever has a token can "
                + "try keys until one fits. Draw one: head -c 32 /dev/urandom | base64",
            credentials: .repeated),
        PublicBreach(
            "strength", "", "",
            "sync.ini:18: the secret_key of [keyset web] repeats itself: whoever has a token can "
                + "try keys until one fits. Draw one: head -c 32 /dev/urandom | base64",
            credentials: .doubled),
        PublicBreach(
            "strength", "secret_key_file", "jwks_file",
            "sync.ini:18: a shared key (oct) in the jwks_file of [keyset web] is made of very few "
                + "characters: whoever has a token can try keys until one fits. Draw its k: head "
                + "-c 32 /dev/urandom | basenc --base64url | tr -d =",
            credentials: .webKeys),
        PublicBreach(
            "strength", "[keyset web]",
            """
            [keyset app]
            subscribe_key = sub-app
            access_control = yes
            secret_key_file = credential:app
            [keyset web]
            """,
            "sync.ini:22: the secret_key of [keyset web] is one of [keyset app], too: whoever has "
                + "it there has it here. Draw one: head -c 32 /dev/urandom | base64"),
        PublicBreach(
            "files", "", "",
            "sync.ini:18: others on this machine may read the secret in \"/credentials/web\". Take "
                + "that away: chmod go-r /credentials/web",
            credentials: .readable),
        PublicBreach(
            "files", "", "",
            "sync.ini:18: others on this machine may write \"/credentials/web\", and with it "
                + "decide who comes in. Take that away: chmod go-w /credentials/web",
            credentials: .writable),
        PublicBreach(
            "files", "", "",
            "sync.ini:18: the credential web was not looked at: only systemd can show it, to the "
                + "unit that has LoadCredential=web:/PATH. To have it looked at, say which "
                + "directory holds a file web: CREDENTIALS_DIRECTORY=DIR before the command.",
            credentials: .absent),
    ]

    private static let anyProgram =
        "which any program and many an app on its reader's machine can be. Give page or app a host "
        + "name of its own (Capacitor: server.hostname), and write that here."

    private static let doors = [
        PublicBreach(
            "tls", "listen = 127.0.0.1:8080\nconnections_per_address = 200000",
            "listen = 0.0.0.0:8080\nconnections_per_address = 20000",
            "sync.ini:2: others reach 0.0.0.0:8080 without TLS, and whoever is on the way has "
                + "their tokens. Write listen = 127.0.0.1:8080, and have clients come by [tls], or "
                + "by a proxy that ends TLS."),
        PublicBreach(
            "proxies", "connections_per_address = 200000",
            "connections_per_address = 20000\nproxy_protocol_from = 10.0.0.0/8, 2000::/3",
            "sync.ini:4: proxy_protocol_from has 2000:0:0:0:0:0:0:0/3, and in it strangers: each "
                + "may say that somebody else connects, and so have as many connections as there "
                + "are addresses. Name the proxies themselves, or their network up to /24, of IPv6 "
                + "/64."),
        PublicBreach(
            "admin", "admin_listen = 127.0.0.1:8081\n", "",
            "default: [server] admin_listen is not set: clients and operators, and behind a proxy "
                + "strangers, have one door. Write admin_listen = 127.0.0.1:8081."),
        PublicBreach(
            "admin", "admin_listen = 127.0.0.1:8081", "admin_listen = 192.0.2.1:8081",
            "sync.ini:4: strangers reach 192.0.2.1:8081, where /metrics and all of /readyz are "
                + "shown. Write admin_listen = 127.0.0.1:8081."),
        PublicBreach(
            "admin", "admin_listen = 127.0.0.1:8081", "admin_listen = 100.64.0.1:8081",
            "sync.ini:4: strangers reach 100.64.0.1:8081, where /metrics and all of /readyz are "
                + "shown. Write admin_listen = 127.0.0.1:8081."),
        PublicBreach(
            "console", "allowed_hosts = chat.example",
            "allowed_hosts = chat.example\nconsole = /srv/console\nconsole_for_clients = yes",
            "sync.ini:8: [server] console_for_clients is on: strangers load the console, which is "
                + "for those who operate the daemon or try it out. Remove it."),
        PublicBreach(
            "origins", "app://chat", "null",
            "sync.ini:5: allowed_origins has null, which every page can be in a sandboxed frame. "
                + "Remove it."),
        PublicBreach(
            "origins", "app://chat", "http://chat.example",
            "sync.ini:5: allowed_origins has http://chat.example: whoever is on the way to its "
                + "reader can change that page. Serve it by https, and write https here."),
        PublicBreach(
            "origins", "app://chat", "capacitor://localhost",
            "sync.ini:5: allowed_origins has capacitor://localhost, \(anyProgram)"),
        PublicBreach(
            "origins", "app://chat", "https://localhost:3000",
            "sync.ini:5: allowed_origins has https://localhost:3000, \(anyProgram)"),
        PublicBreach(
            "origins", "app://chat", "http://[::1]:3000",
            "sync.ini:5: allowed_origins has http://[::1]:3000, \(anyProgram)"),
        PublicBreach(
            "hosts", "allowed_hosts = chat.example\n", "",
            "default: [server] allowed_hosts is empty. Name the host of the URL that clients have, "
                + "such as allowed_hosts = chat.example."),
    ]

    private static let bounds = [
        PublicBreach(
            "connections", "connections_per_address = 200000", "connections_per_address = 1000",
            "sync.ini:3: behind a proxy all clients have its address, so that one of them can use "
                + "up connections_per_address (1000) for all. Write connections_per_address = "
                + "200000, and have the proxy count by client; or let it say for whom it connects: "
                + "proxy_protocol_from."),
        PublicBreach(
            "connections", "insecure = no", "proxy_protocol_from = 127.0.0.2",
            "sync.ini:3: one address may have 200000 of 200000 connections. Write "
                + "connections_per_address = 20000 or less."),
        PublicBreach(
            "memory", "memory_max = 2G\n", "",
            "default: memory_max is not set: three quarters of the machine's memory are the "
                + "daemon's, whatever else runs there. Say how much it may have, such as "
                + "memory_max = 2G."),
        PublicBreach(
            "memory", "memory_max = 2G", "memory_max = 5G",
            "sync.ini:14: memory_max is 5368709120 bytes, and there are 4294967296: the kernel "
                + "ends the daemon before it refuses anybody. Write less."),
        PublicBreach(
            "log", "level = info", "level = debug",
            "sync.ini:12: [log] level is debug, which writes a line for whatever a stranger does. "
                + "Write info."),
        PublicBreach(
            "log", "level = info", "level = warning",
            "sync.ini:12: [log] level is warning, which leaves out who was refused. Write info."),
        PublicBreach(
            "store", "kind = sqlite", "kind = memory",
            "sync.ini:9: [store] kind is memory: a restart forgets everything. Write sqlite or"
                + " postgres."),
    ]
}
