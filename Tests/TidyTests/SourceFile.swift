// A Swift file as the house rules see it: its lines, with and without comments and strings.

import Foundation

/// Where a rule is broken, and which.
struct Breach: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int
    let rule: String

    var description: String { "\(path):\(line): \(rule)" }
}

struct SourceFile: Sendable {
    /// From the package's root: `Sources/SyncDaemon/Program.swift`.
    let path: String
    let lines: [Substring]
    /// The same lines with comments and the text of strings blanked out.
    let code: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        code = SwiftCode.withoutCommentsAndStrings(text)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// All Swift files of the package's own folders, each read once.
    private static let sources = Result { try read("Sources") }
    private static let tests = Result { try read("Tests") }

    /// All Swift files under a folder of the package, by path.
    static func all(under folder: String) throws -> [SourceFile] {
        for (name, known) in [("Sources", sources), ("Tests", tests)]
        where folder == name || folder.hasPrefix(name + "/") {
            return try known.get().filter { $0.isIn([folder + "/"]) }
        }
        return try read(folder)
    }

    private static func read(_ folder: String) throws -> [SourceFile] {
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: folder).path())
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            try SourceFile(path: "\(folder)/\(path)", text: text("\(folder)/\(path)"))
        }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    func breach(_ index: Int, _ rule: String) -> Breach {
        Breach(path: path, line: index + 1, rule: rule)
    }

    func isIn(_ places: [String]) -> Bool { places.contains(where: path.hasPrefix) }
}

extension Substring {
    /// Runs of letters, digits and `_`.
    var words: [Substring] {
        split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The same, with what stands right before and behind each.
    var placedWords: [(word: Substring, before: Character?, behind: Character?)] {
        words.map { ($0, self[..<$0.startIndex].last, self[$0.endIndex...].first) }
    }
}
