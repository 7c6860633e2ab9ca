// What is cut out of a long text is what a parser of the whole finds there.

import Basis
import JSON
import Testing

@Suite("JSON: splitter")
struct SplitterTests {
    private typealias Step = JSONSplitter.Step

    /// Pieces as `path=text`, of a text that comes in chunks of some size.
    private func pieces(
        of text: String, chunk: Int = .max, bytesMax: Int = 1000, depth: Int = 2
    ) throws -> [String] {
        var splitter = JSONSplitter(bytesMax: bytesMax)
        var pieces: [String] = []
        let piece = { (path: [JSONSplitter.Step], text: [UInt8]) in
            let steps = path.map { step in
                if case .member(let name) = step { name } else { "*" }
            }
            pieces.append(
                "\(steps.joined(separator: "."))=\(String(decoding: text, as: UTF8.self))")
            return true
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(chunk))
            try splitter.take(next, enters: { $0.count < depth }, piece: piece)
            rest = rest.dropFirst(next.count)
        }
        try splitter.end(piece: piece)
        return pieces
    }

    private let example = """
        {"channels": {"a\\"b": [{"x": [1, "]}"]}, 2], "c": -1.5e3},
         "e" : [], "t":true} [null,"\\\\"]
        7
        """

    @Test("values below what is gone into, however the text comes", arguments: 1...9)
    func chunks(size: Int) throws {
        #expect(
            try pieces(of: example, chunk: size) == [
                #"channels.a"b=[{"x": [1, "]}"]}, 2]"#, "channels.c=-1.5e3", "t=true", "*=null",
                #"*="\\""#, "=7",
            ])
    }

    @Test("deeper where it is gone into")
    func deeper() throws {
        #expect(
            try pieces(of: example, depth: 3).prefix(2) == [
                #"channels.a"b.*={"x": [1, "]}"]}"#, #"channels.a"b.*=2"#,
            ])
    }

    @Test("what is no JSON, or ends too early, is an error with its place")
    func errors() {
        for text in ["{", "[1", "{\"a\"}", "{\"a\":1]", "{,}", "[1 2]", "\"abc", "{1:2}"] {
            #expect(throws: JSONError.self, "\(text)") { try pieces(of: text) }
        }
        #expect(
            throws: JSONError.notJSON(
                reason: "a comma or the end is expected", line: 2, column: 4)
        ) { try pieces(of: "[1,\n 2 x 3]") }
    }

    @Test("a value over the bound is an error, and one at it is none")
    func bound() throws {
        #expect(try pieces(of: "[\"12345678\"]", bytesMax: 10) == ["*=\"12345678\""])
        #expect(throws: JSONError.self) { try pieces(of: "[\"123456789\"]", bytesMax: 10) }
    }
}
