// The console's files: which there are, and that nothing else is.

import EventModel
import Glibc
import Testing

@testable import SyncDaemon

@Suite("Console files")
struct ConsoleFileTests {
    /// A directory with files by their paths.
    private static func withFiles(
        _ files: [String: String], _ body: (_ directory: String) throws -> Void
    ) throws {
        let directory = try ScratchDirectory()
        for (path, text) in files {
            var folder = directory.path
            for part in path.split(separator: "/").dropLast() {
                folder += "/" + part
                mkdir(folder, 0o700)
            }
            let file = open("\(directory.path)/\(path)", O_WRONLY | O_CREAT, 0o600)
            let bytes = Array(text.utf8)
            #expect(unsafe write(file, bytes, bytes.count) == bytes.count)
            close(file)
        }
        try body(directory.path)
    }

    private static let page = ["console/index.html": "page", "web/syncclient.js": "script"]

    @Test("pages, scripts and pictures of both folders are served, and nothing else")
    func which() throws {
        let others = [
            "Makefile": "x", "console/README.md": "x", "console/.hidden.js": "x", "js": "x",
            "console/tests/a.js": "x", "web/package.json": "x", "other/a.js": "x", "web/js": "x",
            "web/ui/index.html": "ui", "web/ui/a/icon.svg": "<svg/>", "console/a.b.css": "css",
        ]
        try Self.withFiles(Self.page.merging(others) { one, _ in one }) { directory in
            let files = try ConsoleFiles(in: directory)
            #expect(files["console/"]?.bytes == Array("page".utf8))
            #expect(files["web/ui/"] == files["web/ui/index.html"])
            #expect(files["web/ui/a/icon.svg"]?.mediaType == "image/svg+xml")
            #expect(files["console/a.b.css"]?.mediaType == "text/css; charset=utf-8")
            #expect(files["web/syncclient.js"]?.mediaType == "text/javascript; charset=utf-8")
            #expect(files.isFolder("console") && files.isFolder("web/ui") && !files.isFolder("web"))
            let foreign = [
                "Makefile", "console/README.md", "console/.hidden.js", "console/tests/a.js", "",
                "web/package.json", "other/a.js", "web/js", "console", "../console/index.html",
                "console/../web/syncclient.js", "/console/index.html", "console//index.html",
            ]
            for path in foreign { #expect(files[path] == nil, "\(path)") }
        }
    }

    @Test("a file that is another has another tag")
    func tags() {
        let one = ConsoleFile(mediaType: "text/css", bytes: [1])
        #expect(one.tag == ConsoleFile(mediaType: "text/css", bytes: [1]).tag)
        #expect(one.tag != ConsoleFile(mediaType: "text/css", bytes: [2]).tag)
        #expect(one.tag.utf8.count == 34)
    }

    @Test("without its page there is no console, and a library that lacks is left out")
    func absent() throws {
        #expect(throws: ConsoleError.absent(path: "/nowhere/console")) {
            try ConsoleFiles(in: "/nowhere")
        }
        try Self.withFiles(["console/a.js": "", "web/b.js": ""]) { directory in
            #expect(throws: ConsoleError.absent(path: "\(directory)/console/index.html")) {
                try ConsoleFiles(in: directory)
            }
        }
        try Self.withFiles(Self.page) { directory in
            #expect(symlink("/nowhere/chart.js", "\(directory)/console/chart.js") == 0)
            let files = try ConsoleFiles(in: directory)
            #expect(files["console/chart.js"] == nil && files["console/index.html"] != nil)
        }
    }

    @Test("files are bounded in number, in size and in depth")
    func bounds() throws {
        var files = Self.page
        for number in 0..<Limits.consoleFilesMax { files["web/\(number).js"] = "" }
        try Self.withFiles(files) { directory in
            #expect(throws: ConsoleError.tooMuch(path: directory)) {
                try ConsoleFiles(in: directory)
            }
        }
        let large = String(repeating: "x", count: Limits.consoleBytesMax)
        try Self.withFiles(Self.page.merging(["web/a.js": large]) { one, _ in one }) { directory in
            #expect(throws: ConsoleError.tooMuch(path: directory)) {
                try ConsoleFiles(in: directory)
            }
        }
        let deep = "web/" + String(repeating: "d/", count: Limits.consoleDepthMax)
        try Self.withFiles(Self.page.merging([deep + "a.js": "x"]) { one, _ in one }) { directory in
            let files = try ConsoleFiles(in: directory)
            #expect(files[deep + "a.js"] == nil && files["console/"] != nil)
        }
    }
}
