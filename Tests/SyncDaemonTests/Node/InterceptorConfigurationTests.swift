// Interceptors in the configuration file: what is read, what is refused, and what is shown.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors in the configuration")
struct InterceptorConfigurationTests {
    private static let secret = String(repeating: "s", count: Limits.webhookSecretBytesMin)
    private static let file = """
        [keyset web]
        subscribe_key = sub-web
        [interceptor mod]
        url = https://app.example.com/before
        secret_file = /etc/mod
        secret_previous_file = /etc/old
        keyset = web
        channels = chat.*
        before = publish, signal
        timeout_milliseconds = 250
        on_failure = allow

        """

    private func examine(_ file: String) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(), environment: ["HOME": "/home/ada"],
            file: ConfigurationFile(path: "sync.ini", text: file),
            readSecret: { path in
                .text(
                    SecretText(
                        text: path == "/etc/old" ? Self.secret + "old\n" : Self.secret,
                        isForOthers: false))
            })
    }

    @Test("each key is read, and secrets come from their files")
    func read() throws {
        let examination = examine(Self.file)
        #expect(examination.mistakes.isEmpty)
        let interceptor = try #require(examination.configuration.interceptors.first)
        #expect(interceptor.name == "mod" && interceptor.url == "https://app.example.com/before")
        #expect(interceptor.secrets == [Self.secret, Self.secret + "old"])
        #expect(interceptor.keyset == "sub-web" && interceptor.patterns.map(\.text) == ["chat.*"])
        #expect(interceptor.kinds == [.publish, .signal])
        #expect(interceptor.timeoutMilliseconds == 250 && interceptor.failing == .allow)
        let room = Channel("chat.1", keyset: "sub-web")
        #expect(interceptor.isAsked(before: .publish, in: room))
        #expect(!interceptor.isAsked(before: .edit, in: room))
        #expect(!interceptor.isAsked(before: .publish, in: Channel("chat.1")))
        #expect(!interceptor.isAsked(before: .publish, in: Channel("den", keyset: "sub-web")))
    }

    @Test("what config print prints reads back as the same, without a secret in it")
    func printed() {
        let original = examine(Self.file).configuration
        let text = original.text()
        #expect(!text.contains(Self.secret) && !text.contains("interceptor example"))
        #expect(examine(text).configuration.namedInterceptors == original.namedInterceptors)
    }

    @Test("a mistake says where it is and what to write")
    func mistakes() {
        func messages(_ file: String) -> [String] { examine(file).mistakes.map(\.description) }
        let lacking = messages("[interceptor a]\n")
        #expect(lacking.contains { $0.contains("url = https://") })
        #expect(lacking.contains { $0.contains("secret_file = ") })
        let least = "[interceptor a]\nurl = https://a/\nsecret_file = /etc/mod\n"
        #expect(messages(least).isEmpty)
        #expect(messages(least + "before = reactions\n").count == 1)
        #expect(messages(least + "before =\n").count == 1, "nobody means that")
        #expect(messages(least + "timeout_milliseconds = 9\n").count == 1)
        #expect(messages(least + "keyset = nobody\n").count == 1)
        #expect(
            messages("[intercepter a]\nurl = https://a/\n").first?.contains("[interceptor a]")
                == true)
    }

    @Test("a reload puts them in force, and says which")
    func reloaded() {
        let before = examine(Self.file).configuration
        let after = examine(Self.file.replacing("250", with: "300")).configuration
        #expect(
            after.changes(since: before) == [
                ChangedSetting(title: "[interceptor mod]", isReloaded: true)
            ])
        var next = before
        next.takeReloaded(from: after)
        #expect(next.interceptors == after.interceptors)
    }
}
