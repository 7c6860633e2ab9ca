// What the configuration may say of an archive, and what the machine has to say to it.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Archive check")
struct ArchiveCheckTests {
    private func examine(_ text: String) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(), environment: ["HOME": "/nowhere"],
            file: ConfigurationFile(path: "sync.ini", text: text))
    }

    private func mistakes(_ examination: Examination) -> [ArchiveMistake] {
        examination.mistakes.compactMap {
            if case .archive(_, let mistake) = $0 { mistake } else { nil }
        }
    }

    @Test(
        "it is for a file",
        arguments: [
            ("directory = /srv/archive", []), ("seconds = 5", []),
            ("directory = /srv/archive\n[store]\nkind = memory", [.noFile]),
            ("directory = /srv/archive\n[store]\nkind = postgres\nurl = host=db", [.noFile]),
        ] as [(String, [ArchiveMistake])])
    func words(text: String, expected: [ArchiveMistake]) {
        #expect(mistakes(examine("[archive]\n" + text)) == expected)
    }

    @Test("here and now it can be written to")
    func place() throws {
        let directory = try ScratchDirectory()
        var good = examine("[archive]\ndirectory = \(directory.path)")
        good.lookAtArchive()
        #expect(mistakes(good) == [])
        var absent = examine("[archive]\ndirectory = \(directory.path)/archive")
        absent.lookAtArchive()
        #expect(
            mistakes(absent) == [
                .unusable(
                    path: directory.path + "/archive", reason: "there is no such directory")
            ])
        try Data().write(to: URL(fileURLWithPath: directory.path + "/archive"))
        var file = examine("[archive]\ndirectory = \(directory.path)/archive")
        file.lookAtArchive()
        #expect(mistakes(file).count == 1)
    }

    @Test("within the data it is of no use, be it there or not", arguments: ["", "/archive"])
    func within(below: String) throws {
        let directory = try ScratchDirectory()
        var found = examine(
            """
            [store]
            directory = \(directory.path)
            [archive]
            directory = \(directory.path + below)
            """)
        found.lookAtArchive()
        #expect(mistakes(found) == [.inData(path: directory.path + below)])
        let said = mistakes(found).map(\.description).joined()
        #expect(said.contains("Name one elsewhere, on another disk."))
        #expect(!said.contains("install -d"))
    }

    @Test(
        "the program that takes its files can be run",
        arguments: [
            ("/bin/true", true), ("/", false), ("/etc/passwd", false), ("/bin/none-such", false),
        ])
    func program(path: String, isOne: Bool) throws {
        let directory = try ScratchDirectory()
        var found = examine("[archive]\ndirectory = \(directory.path)\ncommand = \(path)")
        found.lookAtArchive()
        let named = mistakes(found).map {
            if case .program(path, _) = $0 { true } else { false }
        }
        #expect(named == (isOne ? [] : [true]))
    }

    @Test("a program without an archive has nothing to take, which is said")
    func programWithout() {
        let warnings = examine("[archive]\ncommand = /bin/true").warnings
        #expect(
            warnings.contains {
                if case .saidInVain(_, "[archive] command", _, _) = $0 { true } else { false }
            })
        #expect(
            !examine("[archive]\nseconds = 5").warnings.contains { "\($0)".contains("command") })
    }
}
