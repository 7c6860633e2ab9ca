// Settings that are right by themselves and not together, and keys that are missing or not safe.

import Glibc
import Testing

@testable import SyncDaemon

@Suite("Configuration: addresses and keys")
struct AddressCheckTests {
    private func examine(_ text: String, isWritable: Bool = false) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(), environment: [:],
            file: ConfigurationFile(
                path: "sync.ini", text: text + "[store]\ndirectory = /d\n",
                isWritable: isWritable),
            readSecret: { path in
                .text(
                    SecretText(
                        text: "hush", isForOthers: false, isWritable: path.hasSuffix("/open")))
            })
    }

    @Test(
        "a keyset that asks for tokens and has no key is said, and every key will do",
        arguments: [
            ("", true), ("secret_key = a\n", false), ("secret_key_file = /closed\n", false),
            ("secret_key_previous = a\n", false), ("access_control = no\n", false),
            // A key that is wrong is a mistake already.
            ("secret_key = not one word\n", false),
        ])
    func noKey(line: String, isSaid: Bool) {
        let guarded = line.hasPrefix("access_control") ? "" : "access_control = yes\n"
        let warnings = examine("[keyset a]\nsubscribe_key = a\n" + guarded + line).warnings

        #expect(
            warnings
                == (isSaid
                    ? [.noKeyForTokens(.file(path: "sync.ini", line: 3), keyset: "a")] : []))
    }

    @Test("files that others may write are said, each where it is named")
    func writable() {
        let text = "[keyset a]\nsubscribe_key = a\nsecret_key_file = "

        #expect(
            examine(text + "/open\n", isWritable: true).warnings == [
                .writableByOthers(.file(path: "sync.ini", line: 1), path: "sync.ini"),
                .writableByOthers(.file(path: "sync.ini", line: 3), path: "/open"),
            ])
        #expect(examine(text + "/closed\n").warnings.isEmpty)
    }

    @Test("a socket that systemd passes stands in the place of listen")
    func passedSocket() throws {
        let file = ConfigurationFile(
            path: "sync.ini", text: "[server]\nadmin_listen = 127.0.0.1:8080\n")
        let own = ["STATE_DIRECTORY": "/d"]
        let passed = own.merging(["LISTEN_PID": String(getpid()), "LISTEN_FDS": "1"]) { $1 }
        func mistakes(_ environment: [String: String]) -> [ConfigurationError] {
            Configuration.examine(
                arguments: ServeArguments(), environment: environment, file: file
            ).mistakes
        }

        #expect(mistakes(own).count == 1)
        #expect(mistakes(passed).isEmpty)
    }

    @Test(
        "listeners at one address are a mistake",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080", true), ("0.0.0.0:8080", "127.0.0.1:8080", true),
            ("127.0.0.1:8080", "0.0.0.0:8080", true), ("[::]:8080", "127.0.0.1:8080", true),
            ("[::1]:8080", "[0:0:0:0:0:0:0:1]:8080", true), ("[::1]:8080", "127.0.0.1:8080", false),
            ("127.0.0.1:8080", "127.0.0.1:8081", false), ("127.0.0.1:0", "127.0.0.1:0", false),
            ("127.0.0.1:8080", "127.0.0.2:8080", false),
        ])
    func sameAddress(listen: String, admin: String, isOne: Bool) {
        let examination = examine(
            "[server]\nlisten = \(listen)\nadmin_listen = \(admin)\ninsecure = yes\n")

        let address = ListenAddress(admin)?.description ?? ""
        #expect(
            examination.mistakes.map(\.description)
                == (isOne
                    ? [
                        "sync.ini:3: [server] admin_listen \(address) is where [server] listen is, "
                            + "too. Give it a port of its own, such as 127.0.0.1:8081."
                    ] : []))
    }

    @Test(
        "an origin with its scheme's own port is a mistake",
        arguments: [
            ("https://chat.example:443", "https://chat.example"),
            ("http://chat.example:80", "http://chat.example"),
            ("https://[2001:db8::1]:443", "https://[2001:db8::1]"),
            ("https://chat.example:8443", nil), ("http://chat.example:443", nil),
        ])
    func defaultPort(origin: String, written: String?) {
        let examination = examine(
            "[server]\nallowed_origins = https://a.example, \(origin)\n")

        #expect(
            examination.mistakes.map(\.description)
                == (written.map {
                    [
                        "sync.ini:2: no browser ever sends \(origin): it leaves out a port that is "
                            + "its scheme's own. Write \($0)."
                    ]
                } ?? []))
    }

    @Test(
        "ranges of private networks, and those beside them",
        arguments: [
            ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.255.1", true), ("192.168.1.1", true),
            ("127.0.0.1", true), ("10.0.0.0/8", true), ("10.0.0.0/7", false), ("::1", true),
            ("100.64.0.1", false), ("169.254.1.1", false), ("11.0.0.1", false),
            ("172.32.0.1", false), ("172.15.0.1", false), ("192.169.0.1", false),
            ("0.0.0.0", false), ("0.0.0.0/0", false), ("fd00::1", true), ("fc00::/7", true),
            ("fe80::1", false), ("2001:db8::1", false), ("::", false), ("::/0", false),
        ])
    func privateNetworks(range: String, isPrivate: Bool) {
        #expect(AddressRange(range)?.isPrivate == isPrivate)
    }

    @Test(
        "what is wider than a network",
        arguments: [
            ("192.0.2.1", false), ("192.0.2.0/24", false), ("192.0.2.0/23", true),
            ("0.0.0.0/0", true), ("128.0.0.0/1", true), ("2001:db8::1", false),
            ("2001:db8::/64", false), ("2001:db8::/63", true), ("2000::/3", true), ("::/0", true),
        ])
    func wide(range: String, isWide: Bool) {
        #expect(AddressRange(range)?.isWide == isWide)
    }
}
