// Each house rule can fail: planted breaches are found, and look-alikes are not.

import Testing

@Suite("Planted breaches")
struct PlantedBreachTests {
    /// A file with a good first line, followed by some lines.
    private func file(_ path: String, _ lines: String...) -> SourceFile {
        SourceFile(path: path, text: (["// A file."] + lines).joined(separator: "\n"))
    }

    private func breaches(_ file: SourceFile) -> [String] {
        HouseRules.breaches(inSource: file).map(\.description)
    }

    @Test(
        "an import in the wrong place",
        arguments: [
            ("Sources/SyncDaemon/Hub/A.swift", "import CWebsockets"),
            ("Sources/SyncDaemon/Wire/A.swift", "internal import CJansson"),
            ("Sources/SyncDaemon/Store/A.swift", "import CSQLite"),
            ("Sources/SyncDaemon/Store/A.swift", "import CLibPQ"),
            ("Sources/SyncDaemon/Ledger/A.swift", "import Postgres"),
            ("Sources/SyncClient/Store/A.swift", "import CSQLite"),
            ("Sources/SyncDaemon/Ledger/A.swift", "import SQLite"),
            ("Sources/SyncDaemon/Store/A.swift", "import SQLiteFaults"),
            ("Sources/syncsim/World/A.swift", "import SQLiteFaults"),
            ("Sources/SyncClient/SyncClient.swift", "import SQLite"),
            ("Sources/SyncDaemon/Platform/WorkQueue.swift", "import CUV"),
            ("Sources/SyncDaemon/Node/Configuration.swift", "import CInih"),
            ("Sources/SyncDaemon/Transport/HTTPConnection.swift", "import CHTTPParser"),
            ("Sources/SyncDaemon/Node/Node.swift", "@preconcurrency import CSystemd"),
            ("Sources/SyncDaemon/Platform/Clock.swift", "import Foundation"),
            ("Sources/syncctl/Main.swift", "import struct Foundation.Data"),
            ("Sources/JSON/JSONValue.swift", "import Dispatch"),
            ("Sources/EventModel/Channel.swift", "import Glibc"),
            ("Sources/EventModel/Channel.swift", "public import JSON"),
            ("Sources/EventModel/Reconciliation/KeyedHash.swift", "import CSodium"),
            ("Sources/SyncClient/Transport/A.swift", "import CWebsockets"),
            ("Sources/SyncClient/Wire/A.swift", "import Foundation"),
            ("Sources/EventModel/Reconciliation/A.swift", "import Glibc"),
            ("Sources/SyncDaemon/Hub/A.swift", "import CSodium"),
            ("Sources/syncctl/Chat/ChatJob.swift", "import CCurses"),
        ])
    func imports(path: String, line: String) {
        let found = breaches(file(path, line))

        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("\(path):2: ") == true)
    }

    @Test(
        "an import in the right place, or no import at all, is let pass",
        arguments: [
            ("Sources/SyncDaemon/Transport/A.swift", "import CWebsockets"),
            ("Sources/SyncClient/Transport/Libwebsockets/A.swift", "import CWebsockets"),
            ("Sources/SyncClient/Transport/URLSession/A.swift", "import Foundation"),
            ("Sources/SyncModels/A.swift", "public import FoundationEssentials"),
            ("Tests/JSONTests/JanssonOracle.swift", "import CJansson"),
            ("Sources/SQLite/A.swift", "import CSQLite"),
            ("Sources/Postgres/A.swift", "import CLibPQ"),
            ("Sources/SyncDaemon/Store/A.swift", "import Postgres"),
            ("Sources/SQLiteFaults/A.swift", "import CSQLite"),
            ("Sources/syncsim/Disk/A.swift", "import SQLiteFaults"),
            ("Sources/SyncDaemon/Store/A.swift", "import SQLite"),
            ("Sources/SyncClient/Store/A.swift", "import SQLite"),
            ("Sources/SyncDaemon/Platform/EventLoop.swift", "import CUV"),
            ("Sources/SyncDaemon/Node/INIFile.swift", "import CInih"),
            ("Sources/SyncDaemon/Transport/HTTPRequestParser.swift", "import CHTTPParser"),
            ("Sources/SyncDaemon/Platform/Log.swift", "import CSystemd"),
            ("Sources/syncctl/Screen/CursesScreen.swift", "import CCurses"),
            ("Sources/SyncDaemon/Store/DigestSecret.swift", "import CSodium"),
            ("Sources/SyncDaemon/Hub/Hub.swift", "import EventModel"),
            ("Sources/SyncDaemon/Hub/Hub.swift", "// import Foundation"),
            ("Sources/SyncDaemon/Hub/Hub.swift", "let text = \"import Foundation\""),
        ])
    func goodImports(path: String, line: String) {
        #expect(breaches(file(path, line)).isEmpty)
    }

    @Test("a banned phrase", arguments: HouseRules.phrasePlaces.map(\.phrase))
    func phrases(phrase: String) {
        let path = "Sources/SyncDaemon/Hub/Hub.swift"

        let found = breaches(file(path, "let a = 1", "    x \(phrase) y"))

        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("\(path):3: \(phrase)") == true)
    }

    @Test("unchecked sendability is let pass at the edges only")
    func edges() {
        let line = "final class A: @unchecked" + " Sendable {}"

        #expect(breaches(file("Sources/Basis/Locked.swift", line)).isEmpty)
        #expect(breaches(file("Sources/SyncClient/Transport/A.swift", line)).isEmpty)
        #expect(breaches(file("Sources/EventModel/A.swift", line)).count == 1)
    }

    @Test(
        "a file that does not say what it is for",
        arguments: ["", "import Glibc", "//", "/// A type.", "/* A file. */"])
    func header(firstLine: String) {
        let file = SourceFile(path: "Sources/syncctl/A.swift", text: firstLine)

        #expect(
            breaches(file) == [
                "Sources/syncctl/A.swift:1: start with one // sentence that says what it is for"
            ])
    }

    @Test("a line and a file that are too long, and ones that just fit")
    func size() {
        let wide = String(repeating: "🙂", count: HouseRules.columnsMax)
        func tall(_ lines: Int) -> SourceFile {
            let rest = String(repeating: "\n", count: lines - 1)
            return SourceFile(path: "Sources/syncctl/A.swift", text: "// A file." + rest)
        }

        #expect(breaches(file("Sources/syncctl/A.swift", wide)).isEmpty)
        #expect(
            breaches(file("Sources/syncctl/A.swift", wide + "a")) == [
                "Sources/syncctl/A.swift:2: 101 columns, at most 100"
            ])
        #expect(breaches(tall(400)).isEmpty)
        #expect(
            breaches(tall(401)) == ["Sources/syncctl/A.swift:401: 401 lines, at most 400: split it"]
        )
    }

    @Test(
        "a function that is too long, whatever its braces look like",
        arguments: ["func run(_ body: () -> Void = {}) {", "init(a: Int) {", "deinit {"])
    func functions(opening: String) {
        func file(bodyLines: Int) -> SourceFile {
            let noise = ["print(\"} \\(a.map { \"}\" }) }\") // }", "if a { b() }", "A.init()"]
            let body = (0..<bodyLines).map { noise[$0 % noise.count] }
            let lines = ["// A file.", "struct A {", opening] + body + ["}", "}"]
            return SourceFile(
                path: "Sources/syncctl/A.swift", text: lines.joined(separator: "\n"))
        }

        #expect(breaches(file(bodyLines: 68)).isEmpty)
        #expect(
            breaches(file(bodyLines: 69)) == [
                "Sources/syncctl/A.swift:3: 71 lines, at most 70: split it"
            ])
    }

    @Test("a requirement without a body is not taken for the start of one")
    func requirements() {
        let body = Array(repeating: "    let a = 1", count: 80)
        let protocolLines = ["protocol P {", "    func run()", "    var a: Int { get }", "}"]
        let lines = ["// A file."] + protocolLines + ["struct A {"] + body + ["}"]
        let file = SourceFile(path: "Sources/syncctl/A.swift", text: lines.joined(separator: "\n"))

        #expect(breaches(file).isEmpty)
    }

    @Test("a name from a room above")
    func layers() {
        let hub = file("Sources/SyncDaemon/Hub/Hub.swift", "final class Hub {}")
        let node = file("Sources/SyncDaemon/Node/Node.swift", "private struct Row { let hub: Hub }")
        let program = file("Sources/SyncDaemon/Program.swift", "enum Main { let hub: Hub }")
        let wire = file(
            "Sources/SyncDaemon/Wire/Frame.swift", "// of the Hub", "struct Frame { let row: Row }",
            "func f(_ hub: Hub) { \"Hub\" }", "let main: Main")
        let stray = file("Sources/SyncDaemon/Utilities/A.swift")

        #expect(Layers.breaches([hub, node, program]).isEmpty)
        #expect(
            Layers.breaches([hub, node, program, wire, stray]).map(\.description) == [
                "Sources/SyncDaemon/Wire/Frame.swift:4: Hub is from Hub, which is above",
                "Sources/SyncDaemon/Wire/Frame.swift:5: Main is from Program.swift, which is above",
                "Sources/SyncDaemon/Utilities/A.swift:1: this folder is not in the list of layers",
            ])
    }

    @Test(
        "what only a room above has: a member, a function, a nested type, a case",
        arguments: [
            ("extension Hub { func settle() {} }", "hub.settle()", "settle"),
            ("extension Hub { var isLate: Bool { true } }", "if hub.isLate {}", "isLate"),
            ("func rewire(_ hub: Hub) {}", "rewire(hub)", "rewire"),
            ("extension Hub { struct Ruling {} }", "let a: Hub.Ruling", "Ruling"),
            ("struct Row { enum Verdict {} }", "var b: Verdict?", "Verdict"),
            ("    case lost, found(Int), settled", "handle(.settled)", "settled"),
        ])
    func members(declaration: String, use: String, name: String) {
        let hub = file("Sources/SyncDaemon/Hub/Hub.swift", "struct Hub {}", use)
        let node = file("Sources/SyncDaemon/Node/Node.swift", declaration, use)
        let below = file("Sources/JSON/A.swift", "a.\(name)")
        let inHub = file("Sources/SyncDaemon/Hub/A.swift", declaration)

        #expect(
            Layers.breaches([hub, node]).map(\.description) == [
                "Sources/SyncDaemon/Hub/Hub.swift:3: \(name) is from Node, which is above"
            ])
        #expect(Layers.breaches([hub, node], below: [below]).isEmpty)
        #expect(Layers.breaches([hub, node, inHub]).isEmpty)
    }

    @Test(
        "what a file has itself is not taken for a room's above",
        arguments: ["init(settle: () -> Void) { settle() }", "private func settle() { settle() }"])
    func ownNames(line: String) {
        let hub = file("Sources/SyncDaemon/Hub/Hub.swift", line)
        let node = file("Sources/SyncDaemon/Node/Node.swift", "func settle() {}")
        let wire = file("Sources/SyncDaemon/Wire/A.swift", "switch a { case settle: b }")

        #expect(Layers.breaches([hub, node, wire]).isEmpty)
    }

    @Test("what clients do not use is not shared")
    func diet() {
        let limits = file(
            "Sources/EventModel/Limits.swift", "public enum Limits {",
            "    public static let a = 1", "    public static let b = 2", "}")
        let names = file(
            "Sources/EventModel/A.swift", "public struct Channel {", "    let name: Name", "}",
            "package struct Name {}", "struct Own {}", "public indirect enum Secret {", "}",
            "extension Secret { var name: Name }")
        let client = file("Sources/SyncClient/A.swift", "let b: Channel = Limits.a // Secret")

        #expect(
            Diet.breaches([limits, names], clients: [client]).map(\.description) == [
                "Sources/EventModel/A.swift:7: "
                    + "no client uses Secret: the daemon's own belongs into SyncDaemon"
            ])
        #expect(Diet.breaches([limits, names], clients: []).count == 6)
    }

    @Test("limits are read with their values")
    func limits() {
        let file = file(
            "Limits.swift", "/// public static let no = 1", "public static let a = 32 * 1024",
            "    public static let b: UInt64 = 30 * 10_000_000", "static let c = 16...200")

        let limits = Manual.limits(file).map { "\($0.name) \($0.value)" }

        #expect(limits == ["a 32,768", "b 300,000,000", "c 16 to 200"])
    }

    @Test(
        "comments and strings are not code",
        arguments: [
            ("a // b \"c", "a"), ("a \"b\" c", "a     c"),
            (#"a "\(b("c"))" d"#, "a   (b(   ))  d"), (#""\"" a"#, "     a"),
            (##"#"a "b" \(c) \#(d)"# e"##, "               (d)   e"),
            ("\"\"\"\n a \"b\" // c\n\"\"\" d", "\n\n    d"),
        ])
    func lexing(text: String, expected: String) {
        let code = SwiftCode.withoutCommentsAndStrings(text).split(
            separator: "\n", omittingEmptySubsequences: false)

        let trimmed = code.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        #expect(trimmed.joined(separator: "\n") == expected)
    }
}
