// docs/RECONCILIATION.md says how rows are packed: its example is read, and written again.

import Foundation
import Testing

@testable import EventModel

@Suite("Packed rows in the manual")
struct PackedDocumentTests {
    /// Below "On the wire".
    private let page: String
    /// What the second column has in ticks, and what the first one says it is.
    private var parts: [(what: String, bytes: [UInt8])] = []

    init() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/RECONCILIATION.md").standardized
        let whole = try String(contentsOf: url, encoding: .utf8)
        page = try #require(
            whole.components(separatedBy: "\n### On the wire\n").last?
                .components(separatedBy: "\n### ").first)
        let table = try #require(page.components(separatedBy: "| part | bytes |").last)
        for line in table.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, cells[1].hasPrefix("`") else { continue }
            parts.append((cells[0], try Self.bytes(cells[1])))
        }
    }

    private static func bytes(_ ticked: String) throws -> [UInt8] {
        let digits = Array(ticked.filter { $0 != "`" })
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0..<$0 + 2]), radix: 16))
        }
    }

    @Test("the example is the rows that it says")
    func rows() throws {
        let read = try PackedActions.actions(parts.flatMap(\.bytes), actionsMax: 3)

        let words = read.map { row in
            let score = row.score == 1 ? "" : ", score \(row.score)"
            return "on \(row.key.messageTimetoken) `\(row.key.type)` `\(row.key.value)` of"
                + " `\(row.key.uuid)` at \(row.actionTimetoken)\(score)"
        }
        #expect(words == parts.suffix(3).map(\.what))
        #expect(read.map(\.score) == [1, 5, 1])
        #expect(PackedActions.bytes(read) == parts.flatMap(\.bytes))
    }

    @Test("each text of the example is in the place that it says")
    func texts() {
        let texts = parts.dropFirst().dropLast(3)
        #expect(parts.first?.bytes == [UInt8(texts.count)])
        for text in texts {
            let utf8 = Array(text.what.filter { $0 != "`" }.utf8)
            #expect(text.bytes == [UInt8(utf8.count)] + utf8)
        }
    }

    @Test("so are the timetokens to drop")
    func drop() throws {
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("To drop ") })
        let timetokens = try PackedActions.timetokens(
            Self.bytes(String(line.split(separator: "`")[1])), timetokensMax: 9)
        #expect(timetokens.map(\.rawValue) == [1005, 1311])
        #expect(line.hasPrefix("To drop 1005 and 1311: "))
    }
}
