// The examples and tables of docs/PROTOCOL.md, as tests need them.

import Foundation

/// The wire contract as it is written down.
public enum ProtocolDocument {
    public static func lines() throws -> [String] {
        let document = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/PROTOCOL.md").standardized
        return try String(contentsOf: document, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The examples of one direction: what follows the arrow.
    public static func examples(_ arrow: Character) throws -> [String] {
        try lines().filter { $0.first == arrow }.map { String($0.dropFirst(2)) }
    }

    /// Each documented error code with its status.
    public static func errorCodes() throws -> [String: Int] {
        let rows = try lines().drop { $0 != "## Errors" }.dropFirst().prefix {
            !$0.hasPrefix("## ")
        }
        var codes: [String: Int] = [:]
        for row in rows {
            let cells = row.split(separator: "|")
            guard cells.count >= 3,
                let status = Int(cells[0].trimmingCharacters(in: .whitespaces))
            else { continue }
            for (index, code) in cells[1].split(separator: "`").enumerated() where index % 2 == 1 {
                codes[String(code)] = status
            }
        }
        return codes
    }
}
