// The snippets of docs/SWIFT.md are pieces of the example, which is compiled and run.

import Testing

@Suite("The manual of the Swift package")
struct SwiftManualTests {
    private static let example = "examples/swift-chat/"

    /// The lines of each block in Swift, as far in as they are.
    private static func snippets(_ page: String) -> [[Substring]] {
        var snippets: [[Substring]] = []
        var isOpen = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isOpen = !isOpen && line == "```swift"
                if isOpen { snippets.append([]) }
            } else if isOpen {
                snippets[snippets.count - 1].append(line)
            }
        }
        return snippets
    }

    /// Whether lines stand in a text one below the other, further in or less far.
    private static func stands(_ lines: [Substring], in text: [Substring]) -> Bool {
        func bare(_ line: Substring) -> Substring { line.drop { $0 == " " } }
        let (lines, text) = (lines.map(bare), text.map(bare))
        guard let first = lines.first else { return false }
        return text.indices.contains { index in
            text[index] == first && text[index...].starts(with: lines)
        }
    }

    @Test("every snippet is in the example, word for word")
    func snippets() throws {
        let files = try SourceFile.all(under: "examples/swift-chat")
        let snippets = Self.snippets(try SourceFile.text("docs/SWIFT.md"))

        #expect(snippets.count > 5)
        for snippet in snippets where !files.contains(where: { Self.stands(snippet, in: $0.lines) })
        {
            Issue.record("docs/SWIFT.md: no file of \(Self.example) has \(snippet)")
        }
    }

    @Test("a snippet that is not there is found, and where it stands does not matter")
    func planted() {
        let text: [Substring] = ["func f() {", "    a()", "        b()", "}"]

        #expect(
            Self.snippets("x\n```swift\na()\n```\n```sh\nls\n```\n```swift\n```") == [["a()"], []])
        #expect(Self.stands(["a()", "b()"], in: text))
        #expect(!Self.stands(["b()", "a()"], in: text))
        #expect(!Self.stands(["a()", "c()"], in: text))
        #expect(!Self.stands([], in: text))
    }

    @Test("what no test compiles says so in its first lines")
    func marked() throws {
        let view = try SourceFile.text("examples/swift-chat/SwiftUI/ChatView.swift")
        #expect(view.prefix(200).contains("NOT COMPILED"))
    }
}
