// The files of `[tls]`: what is said of them, and when somebody is told that a certificate ends.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Certificate files")
struct CertificateTests {
    private func examine(
        _ file: String, at seconds: Int = TestCertificate.expiries.a - 1_000 * 86_400,
        _ read: (String) -> SecretFile = ConfigurationSample.readSecret
    ) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(), environment: ["HOME": "/home/ada"],
            file: ConfigurationFile(path: "sync.ini", text: file), readSecret: read, at: seconds)
    }

    private let both = "[tls]\ncertificate_file = /srv/a.pem\nkey_file = /srv/key\n"

    @Test("a certificate and its key are taken, and not shown")
    func right() {
        let examination = examine(both + "listen = 127.0.0.1:8443\n")

        #expect(examination.mistakes.isEmpty)
        #expect(examination.warnings.isEmpty)
        #expect(examination.configuration.tlsIdentity?.expiry == TestCertificate.expiries.a)
        #expect(!examination.configuration.text().contains("PRIVATE"))
    }

    @Test(
        "what is missing is named, with its line",
        arguments: [
            (
                "[tls]\nlisten = 127.0.0.1:8443\n",
                "sync.ini:2: [tls] certificate_file is missing. TLS takes a certificate and its "
                    + "key: name both files."
            ),
            (
                "[tls]\ncertificate_file = /srv/a.pem\n",
                "sync.ini:2: [tls] key_file is missing. TLS takes a certificate and its key: name "
                    + "both files."
            ),
            (
                "[tls]\nkey_file = /srv/key\n",
                "sync.ini:2: [tls] certificate_file is missing. TLS takes a certificate and its "
                    + "key: name both files."
            ),
        ])
    func missing(file: String, message: String) {
        #expect(examine(file).mistakes.map(\.description) == [message])
    }

    @Test("a file that cannot be used is named")
    func wrong() {
        let unreadable = examine(both) { _ in .unreadable(reason: "No such file") }
        #expect(unreadable.mistakes.count == 2)
        #expect(unreadable.configuration.tlsIdentity == nil)

        let other = examine(both) { path in
            .text(
                SecretText(
                    text: path.hasSuffix("key") ? TestCertificate.bKey : TestCertificate.a,
                    isForOthers: false))
        }
        #expect(
            other.mistakes.map(\.description) == [
                "sync.ini:3: \"/srv/key\" cannot be used. \(TLSIdentityError.keyOfAnother)"
            ])
        let none = examine(both) { _ in
            .text(SecretText(text: TestCertificate.aKey, isForOthers: false))
        }
        #expect(
            none.mistakes.map(\.description) == [
                "sync.ini:2: \"/srv/a.pem\" cannot be used. \(TLSIdentityError.noCertificate)"
            ])
    }

    @Test("a key that others may read is a warning")
    func forOthers() {
        let examination = examine(both) { path in
            .text(
                SecretText(
                    text: path.hasSuffix("key") ? TestCertificate.aKey : TestCertificate.a,
                    isForOthers: true))
        }

        #expect(examination.mistakes.isEmpty)
        #expect(examination.warnings.count == 1)
        #expect(examination.warnings.first?.description.hasPrefix("sync.ini:3: ") == true)
    }

    @Test("a key behind the certificate, in a file for all, is a warning")
    func keyInCertificate() {
        let examination = examine(both) { path in
            .text(
                path.hasSuffix("key")
                    ? SecretText(text: TestCertificate.aKey, isForOthers: false)
                    : SecretText(
                        text: TestCertificate.a + "\n" + TestCertificate.aKey, isForOthers: true,
                        isOurs: true))
        }

        #expect(
            examination.warnings.map(\.description) == [
                "sync.ini:2: others on this machine may read the secret in \"/srv/a.pem\". Take "
                    + "that away: chmod go-r /srv/a.pem"
            ])
    }

    @Test("one that does not hold yet is a warning")
    func begins() throws {
        let examination = examine(both, at: 0)
        let start = try #require(examination.configuration.tlsIdentity?.start)

        #expect(examination.mistakes.isEmpty)
        #expect(
            examination.warnings == [
                .certificateBegins(
                    .file(path: "sync.ini", line: 2), path: "/srv/a.pem", seconds: start)
            ])
        #expect(examine(both, at: start).warnings.isEmpty)
        #expect(
            examine(both, at: start - 3601).warnings.first?.description
                == "sync.ini:2: \"/srv/a.pem\": a certificate in it holds only in 2 hours: until "
                + "then clients refuse it. Look at this machine's clock, or name the one before.")
    }

    @Test("one that ends soon, or has ended, is a warning")
    func ends() {
        let days = (Limits.certificateDays + 1) * 86_400
        #expect(examine(both, at: TestCertificate.expiries.a - days).warnings.isEmpty)

        let soon = examine(both, at: TestCertificate.expiries.a - 3 * 86_400 - 5)
        #expect(soon.warnings.map(\.description).first?.contains("expires in 3 days") == true)
        let ended = examine(both, at: TestCertificate.expiries.a)
        #expect(ended.mistakes.isEmpty)
        #expect(ended.warnings.map(\.description).first?.contains("has expired") == true)
    }

    @Test("with TLS on an address that others reach, access control is asked for there, too")
    func reachable() {
        let open = examine(both + "listen = 0.0.0.0:8443\n")
        #expect(open.mistakes.count == 1)
        #expect(open.mistakes.first?.description.contains("0.0.0.0:8443") == true)
        let insecure = examine(both + "listen = 0.0.0.0:8443\n[server]\ninsecure = yes\n")
        #expect(insecure.mistakes.isEmpty)
    }

    @Test("a proxy brings others, so that loopback alone guards nothing")
    func proxied() {
        let open = examine("[server]\nproxy_protocol_from = 127.0.0.1\n")
        #expect(open.mistakes.count == 1)
        let insecure = examine("[server]\nproxy_protocol_from = 127.0.0.1\ninsecure = yes\n")
        #expect(insecure.mistakes.isEmpty)
    }

    @Test("a certificate that is another one now is a change, and taken")
    func changes() {
        let old = examine(both).configuration
        let new = examine(both) { path in
            .text(
                SecretText(
                    text: path.hasSuffix("key") ? TestCertificate.bKey : TestCertificate.b,
                    isForOthers: false))
        }.configuration
        var next = old

        next.takeReloaded(from: new)

        #expect(
            new.changes(since: old) == [
                ChangedSetting(title: "the certificate", isReloaded: true)
            ])
        #expect(next.tlsIdentity == new.tlsIdentity)
    }

    @Test("its end is spoken of once a day, and one that has ended is a trouble")
    func watch() throws {
        let lines = CapturedLog()
        let identity = try TLSIdentity(
            certificates: TestCertificate.a, key: TestCertificate.aKey)
        let watch = CertificateWatch(identity, log: lines.log)
        let health = Health()
        let day = 86_400

        watch.look(at: identity.expiry - 100 * day, health)
        // Who read the configuration has said so.
        watch.look(at: identity.expiry - 2 * day, health)
        watch.look(at: identity.expiry - day - 5, health)
        #expect(lines.count == 0)
        watch.look(at: identity.expiry - day, health)
        watch.look(at: identity.expiry - day + 5, health)
        #expect(lines.count == 1)
        #expect(health.troubles.isEmpty)
        #expect(watch.secondsLeft(at: identity.expiry + 3) == -3)

        watch.look(at: identity.expiry, health)
        #expect(health.troubles.map(\.cause) == [.certificateExpired])
        let other = try TLSIdentity(certificates: TestCertificate.b, key: TestCertificate.bKey)
        watch.take(other)
        watch.look(at: identity.expiry, health)
        #expect(health.troubles.isEmpty)
    }
}

/// Counts what is logged.
private final class CapturedLog: LogSink {
    private let lines = Locked(0)

    var log: Log { Log(level: .debug, sink: self) }
    var count: Int { lines.withLock { $0 } }

    func write(_ record: LogRecord) { lines.withLock { $0 += 1 } }
}
