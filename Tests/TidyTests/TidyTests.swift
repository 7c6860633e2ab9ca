// The tree obeys the house rules.

import Testing

@Suite("Tidy")
struct TidyTests {
    @Test("the sources obey the house rules")
    func sources() throws {
        let files = try SourceFile.all(under: "Sources")

        #expect(files.count > 20)
        for breach in files.flatMap(HouseRules.breaches(inSource:)) { Issue.record("\(breach)") }
    }

    @Test("the tests obey the house rules")
    func tests() throws {
        let files = try SourceFile.all(under: "Tests")

        #expect(files.count > 5)
        for breach in files.flatMap(HouseRules.breaches(inTest:)) { Issue.record("\(breach)") }
    }

    @Test("no room of the daemon uses what a room above it declares")
    func layers() throws {
        let sources = try SourceFile.all(under: "Sources")
        let daemon = sources.filter { $0.isIn(["Sources/SyncDaemon/"]) }
        // The simulator sees inside the daemon, too.
        let below = sources.filter { !$0.isIn(["Sources/SyncDaemon/", "Sources/syncsim/"]) }

        for breach in Layers.breaches(daemon, below: below) { Issue.record("\(breach)") }
    }

    @Test("what daemon and client share is what a client uses")
    func diet() throws {
        let shared = try SourceFile.all(under: "Sources/EventModel")
        let clients = try ["Sources/SyncClient", "Sources/syncctl", "Tests/SyncClientTests"]
            .flatMap(SourceFile.all)

        for breach in Diet.breaches(shared, clients: clients) { Issue.record("\(breach)") }
    }

    @Test("files seldom grow beyond what is advised")
    func length() throws {
        let files = try SourceFile.all(under: "Sources") + SourceFile.all(under: "Tests")

        for file in files where file.lines.count > HouseRules.fileLinesAdvised {
            Issue.record(
                "\(file.path): \(file.lines.count) lines: think of splitting it",
                severity: .warning)
        }
    }

    @Test("the manual names every limit with its value")
    func limits() throws {
        let model = try SourceFile.all(under: "Sources/SyncDaemon/Model").map(\.path)
        let limits = try (["Sources/EventModel/Limits.swift"] + model.filter(Manual.hasLimits))
            .flatMap { Manual.limits(SourceFile(path: $0, text: try SourceFile.text($0))) }
        let manual = try SourceFile.text("docs/OPERATIONS.md")

        #expect(limits.count > 250)
        for limit in limits where !manual.contains("\n| `\(limit.name)` | \(limit.value) |") {
            Issue.record("docs/OPERATIONS.md: add a row | `\(limit.name)` | \(limit.value) | … |")
        }
    }
}
