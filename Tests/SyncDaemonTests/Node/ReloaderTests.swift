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
