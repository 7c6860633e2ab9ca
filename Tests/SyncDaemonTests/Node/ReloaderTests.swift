// What a reload changes, and what it leaves to a restart.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Reload")
struct ReloaderTests {
    private func configuration(
        _ file: String, environment: [String: String] = [:]
    ) throws -> Configuration {
        try Configuration.resolve(
            arguments: ServeArguments(),
            environment: environment.merging(["HOME": "/home/ada"]) { $1 },
            file: ConfigurationFile(path: "sync.ini", text: file),
            readSecret: ConfigurationSample.readSecret)
    }

    @Test("a change is named with whether it needs a restart")
    func changes() throws {
        let old = try configuration("[keyset a]\nsubscribe_key = a\n")
        let new = try configuration(
            "[server]\nreactors = 3\n[log]\nlevel = debug\n[keyset b]\nsubscribe_key = b\n")

        #expect(
            new.changes(since: old) == [
                ChangedSetting(title: "[server] reactors", isReloaded: false),
                ChangedSetting(title: "[log] level", isReloaded: true),
                ChangedSetting(title: "[keyset b]", isReloaded: true),
                ChangedSetting(title: "[keyset a]", isReloaded: true),
            ])
        #expect(new.changes(since: new).isEmpty)
    }

    @Test("which keyset comes first is a change, too")
    func order() throws {
        let (a, b) = ("[keyset a]\nsubscribe_key = a\n", "[keyset b]\nsubscribe_key = b\n")

        let changes = try configuration(b + a).changes(since: try configuration(a + b))

        #expect(changes == [ChangedSetting(title: "the first keyset", isReloaded: true)])
    }

    @Test("each setting is taken, or left as it was", arguments: ConfigurationSample.all)
    func taken(sample: ConfigurationSample) throws {
        let key = try #require(Configuration.keys.first { $0.path == sample.path })
        let new = try configuration(
            "[server]\ninsecure = yes\n[\(key.section)]\n"
                + (key.path == "server.insecure" ? "" : "\(key.name) = \(sample.text)\n"),
            environment: sample.companions(key))
        let isAlone = key.path != "tls.listen"
        var next = try configuration("", environment: isAlone ? [:] : sample.companions(key))
        let before = key.write(next)

        next.takeReloaded(from: new)

        #expect(key.write(next) == (key.isReloaded ? sample.written : before))
        #expect(new.changes(since: next).allSatisfy { !$0.isReloaded })
    }

    private static let open = "[keyset a]\nsubscribe_key = a\n"
    private static let guarded = open + "access_control = yes\nsecret_key = of-a\n"

    @Test("who may come in is judged by the proxies of the start")
    func proxies() throws {
        let proxy = "[server]\nproxy_protocol_from = 127.0.0.9\n"
        let old = try configuration(proxy + "insecure = yes\n" + Self.open)

        #expect(throws: ConfigurationError.reachableByOthers(.openSocket, "127.0.0.1:80")) {
            try old.permit(try configuration(Self.open), listening: ["127.0.0.1:80"])
        }
        try old.permit(try configuration(Self.guarded), listening: ["127.0.0.1:80"])
        try old.permit(
            try configuration("[server]\ninsecure = yes\n" + Self.open),
            listening: ["127.0.0.1:80", "192.0.2.1:443"])
        // One that is not there yet brings nobody.
        try configuration(Self.open).permit(old, listening: ["127.0.0.1:80"])
    }

    @Test("the last access control goes with a restart only", arguments: ["", open])
    func lastGuard(file: String) throws {
        let old = try configuration(Self.guarded)

        #expect(throws: ConfigurationError.lastGuardGone) {
            try old.permit(try configuration(file), listening: ["127.0.0.1:80"])
        }
        try old.permit(
            try configuration(Self.guarded.replacing("keyset a", with: "keyset b")),
            listening: ["127.0.0.1:80"])
        try configuration(Self.open).permit(try configuration(file), listening: [])
    }

    @Test("the manual says of each setting whether it needs a restart")
    func manual() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        let start = try #require(manual.firstRange(of: "### Reload"))
        let section = manual[start.upperBound...].prefix { $0 != "#" }
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }

        for key in Configuration.keys {
            let named = rows.filter { $0.contains("`\(key.title)`") }
            #expect(named.count == (key.isReloaded ? 1 : 0), "\(key.title)")
        }
    }
}
