// The rooms of the daemon: a file may name types of its own room and of lower ones.

enum Layers {
    /// Folders of Sources/SyncDaemon, lowest first; Program.swift stands above all of them.
    static let folders = [
        "Model", "Platform", "Wire", "Transport", "Store", "Ledger", "Presence", "Engine", "Hub",
        "Operations", "Gateway", "Reactor", "Node",
    ]

    private static let home = "Sources/SyncDaemon/"

    /// Every use of a type from a higher room, and every file in a room that is not listed.
    static func breaches(_ files: [SourceFile]) -> [Breach] {
        let declarations = files.flatMap { file in
            declaredTypes(file).map { ($0, layer(of: file) ?? 0) }
        }
        // A name that several rooms declare belongs to the lowest of them.
        let layers = Dictionary(declarations, uniquingKeysWith: min)
        return files.flatMap { file -> [Breach] in
            guard let own = layer(of: file) else {
                return [file.breach(0, "this folder is not in the list of layers")]
            }
            return file.code.enumerated().flatMap { index, line in
                line.words.compactMap { word in
                    guard let layer = layers[word], layer > own else { return nil }
                    let room = layer < folders.count ? folders[layer] : "Program.swift"
                    return file.breach(index, "\(word) is from \(room), which is above")
                }
            }
        }
    }

    /// The index of a file's folder; one above all folders for a file that lies beside them.
    private static func layer(of file: SourceFile) -> Int? {
        let parts = file.path.dropFirst(home.count).split(separator: "/")
        return parts.count == 1 ? folders.count : folders.firstIndex(of: String(parts[0]))
    }

    /// Names of the types that the file declares at its top level and shows to other files.
    private static func declaredTypes(_ file: SourceFile) -> [Substring] {
        let keywords: Set<Substring> = [
            "struct", "class", "enum", "protocol", "actor", "typealias",
        ]
        let others: Set<Substring> = ["private", "fileprivate", "import", "extension", "func"]
        return file.code.filter { !$0.hasPrefix(" ") }.compactMap { line in
            let words = line.words
            guard let keyword = words.firstIndex(where: keywords.contains),
                keyword + 1 < words.count, !words[..<keyword].contains(where: others.contains)
            else { return nil }
            return words[keyword + 1]
        }
    }
}
