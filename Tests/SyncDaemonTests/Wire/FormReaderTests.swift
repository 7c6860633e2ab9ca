// Forms as they come: in any pieces, with one file, and nothing of it lost or added.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Forms with a file")
struct FormReaderTests {
    private let type = "multipart/form-data; boundary=b0"

    private func form(_ parts: [(String, String)], boundary: String = "b0") -> [UInt8] {
        var text = ""
        for (name, content) in parts {
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            text += content + "\r\n"
        }
        return Array((text + "--\(boundary)--\r\n").utf8)
    }

    /// What the file of a form is that comes in pieces of so many bytes.
    private func file(
        of form: [UInt8], in pieces: Int, type: String? = nil
    ) throws -> String {
        var reader = try #require(FormReader(contentType: type ?? self.type))
        var file: [UInt8] = []
        for start in stride(from: 0, to: form.count, by: pieces) {
            file += try reader.read(Array(form[start..<min(start + pieces, form.count)]))
        }
        try reader.end()
        return String(decoding: file, as: UTF8.self)
    }

    @Test(
        "a file is what stands between its head and the next boundary",
        arguments: [
            "", "x", "\r\n", "\r\n--b", "--b0--", "\r\r\n\n", "\r\n--\r\n--b",
            "a\r\n--b1--\r\n",
        ])
    func contents(content: String) throws {
        let form = form([("key", "k"), ("file", content), ("other", "o")])
        for pieces in 1...form.count { #expect(try file(of: form, in: pieces) == content) }
    }

    @Test("what stands before the first boundary is passed over, and behind the last, too")
    func around() throws {
        let form = Array("before\r\n".utf8) + form([("file", "x")]) + Array("behind".utf8)
        for pieces in 1...form.count { #expect(try file(of: form, in: pieces) == "x") }
    }

    @Test(
        "a boundary may be quoted, and its parameter anywhere",
        arguments: [
            #"multipart/form-data; boundary="b0""#, "Multipart/Form-Data;charset=x; BOUNDARY=b0",
        ])
    func types(type: String) throws {
        #expect(try file(of: form([("file", "x")]), in: 7, type: type) == "x")
    }

    @Test(
        "other types are no forms",
        arguments: [
            "", "text/plain; boundary=b0", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\u{1}",
            "multipart/form-data; boundary=" + String(repeating: "b", count: 201),
        ])
    func otherTypes(type: String) {
        #expect(FormReader(contentType: type) == nil)
    }

    @Test("one file, neither none nor two")
    func count() {
        #expect(throws: FormReader.Fault.notOneFile) { try file(of: form([("a", "x")]), in: 9) }
        #expect(throws: FormReader.Fault.notOneFile) {
            try file(of: form([("file", "x"), ("file", "y")]), in: 9)
        }
    }

    @Test("a form that breaks off, or is none")
    func malformed() {
        let whole = form([("file", "x")])
        for length in 0..<(whole.count - 2) {
            #expect(throws: FormReader.Fault.self) {
                try file(of: Array(whole.prefix(length)), in: 5)
            }
        }
        #expect(throws: FormReader.Fault.malformed) {
            try file(of: Array("--b0 \r\n".utf8), in: 3)
        }
    }

    @Test("the longest head is the same in whatever pieces", arguments: [1, 2, 3, 5, 4099, 5000])
    func longestHead(pieces: Int) throws {
        func form(_ length: Int) -> [UInt8] {
            let line = "\r\nContent-Disposition: form-data; name=\"file\""
            let padding = String(repeating: "x", count: length - line.utf8.count - 5)
            return Array("--b0\r\nX: \(padding)\(line)\r\n\r\nx\r\n--b0--\r\n".utf8)
        }

        #expect(try file(of: form(Limits.formHeadBytesMax), in: pieces) == "x")
        #expect(throws: FormReader.Fault.malformed) {
            try file(of: form(Limits.formHeadBytesMax + 1), in: pieces)
        }
    }

    @Test("what is not the file is short")
    func long() {
        let long = String(repeating: "x", count: Limits.formBytesMax)
        #expect(throws: FormReader.Fault.tooLong) {
            try file(of: form([("a", long), ("file", "x")]), in: 1000)
        }
        let many = [(String, String)](repeating: ("a", ""), count: 2000)
        #expect(throws: FormReader.Fault.tooLong) {
            try file(of: form(many + [("file", "x")]), in: 1000)
        }
        let head = Array("--b0\r\nX: \(String(repeating: "x", count: 8000))\r\n\r\n".utf8)
        #expect(throws: FormReader.Fault.malformed) { try file(of: head, in: 1000) }
    }
}
