// The package for devices uses nothing that only Linux has.

import Testing

@Suite("Portability")
struct PortabilityTests {
    private func file(_ name: String, _ lines: String...) -> SourceFile {
        SourceFile(
            path: "Sources/SyncClient/\(name).swift",
            text: (["// A file."] + lines).joined(separator: "\n"))
    }

    @Test("what Apple's platforms compile of it, they have")
    func sources() throws {
        let files = try Portability.folders.flatMap(SourceFile.all)

        #expect(files.count > 100)
        for breach in Portability.breaches(files) { Issue.record("\(breach)") }
    }

    @Test(
        "a module or a function of Linux is found wherever Apple's platforms would see it",
        arguments: [
            (["import Glibc"], 2), (["internal import CWebsockets"], 2), (["import CThread"], 2),
            (["public import FoundationEssentials"], 2), (["import FoundationNetworking"], 2),
            (["#if canImport(Darwin)", "import Darwin", "#endif", "import Glibc"], 5),
            (["#if !os(Linux)", "import CSodium", "#endif"], 3),
            (["#if os(Linux)", "import Glibc", "#else", "import CUV", "#endif"], 5),
            (["#if canImport(Darwin) || URLSESSION", "import CCurl", "#endif"], 3),
            (["#if DEBUG", "import Glibc", "#endif"], 3),
            (["func f() { accept4(1, nil, nil, 0) }"], 2), (["let a = epoll_create1(0)"], 2),
            (["#if os(Linux)", "struct Own {}", "#endif", "let own = Own()"], 5),
        ])
    func breaches(lines: [String], line: Int) {
        let file = SourceFile(
            path: "Sources/SyncClient/A.swift",
            text: (["// A file."] + lines).joined(separator: "\n"))

        #expect(Portability.breaches([file]).map(\.line) == [line])
    }

    @Test("what only Linux sees, and what both have, is let pass")
    func good() {
        let own = file(
            "A", "#if os(Linux)", "import Glibc", "import CThread",
            "struct Own { let a = gettid() }",
            "#endif")
        let both = file(
            "B", "#if canImport(Darwin)", "public import Darwin", "#else", "public import Glibc",
            "#endif", "#if canImport(FoundationEssentials)", "import FoundationEssentials", "#else",
            "import Foundation", "#endif", "// import Glibc", "let a = \"Own\"", "import EventModel"
        )
        let nested = file(
            "C", "#if os(Linux)", "#if DEBUG", "import CUV", "#endif", "let own = Own()", "#endif")
        let pair = file(
            "D", "#if os(Linux)", "struct Twin {}", "#else", "struct Twin {}", "#endif",
            "let twin = Twin()")

        #expect(Portability.breaches([own, both, nested, pair]).isEmpty)
    }
}
