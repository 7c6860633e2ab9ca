// The rooms of the daemon: a file may use what its own room and lower ones declare.

enum Layers {
    /// Folders of Sources/SyncDaemon, lowest first; Program.swift stands above all of them.
    static let folders = [
        "Model", "Platform", "Quota", "Wire", "Filter", "Access", "Transport", "Store", "Ledger",
        "Archive", "Files", "Transfer", "Presence", "Webhooks", "Interception", "Tracing", "Engine",
        "Cluster", "Hub", "Operations", "Gateway", "Reactor", "Administration", "Node",
    ]

    private static let home = "Sources/SyncDaemon/"

    /// Names that a room declares, and the standard library too.
    private static let standard: Set<Substring> = ["formUnion", "ranges", "subtract"]

    private static let typeKeywords: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias",
    ]
    private static let keywords = typeKeywords.union(["func", "var", "let", "case"])

    /// Every use of what only a higher room declares, and every file in a room that is not listed.
    ///
    /// A type is known by its name. Text does not tell whose a member, a function or a nested type
    /// is: these count when no lower room and no module `below` has the name, which knows nothing
    /// of the daemon. What is used without a dot and not called is not seen.
    static func breaches(_ files: [SourceFile], below: [SourceFile] = []) -> [Breach] {
        let others = standard.union(below.flatMap(\.code).flatMap(\.words))
        // A name that several rooms declare belongs to the lowest of them.
        let types = lowest(files, declaredTypes)
        let names = lowest(files) { file in
            declaredNames(file).filter { !$0.isPrivate && !others.contains($0.name) }.map(\.name)
        }
        return files.flatMap { file -> [Breach] in
            guard let own = layer(of: file) else {
                return [file.breach(0, "this folder is not in the list of layers")]
            }
            let labels = file.code.flatMap(\.placedWords).filter { $0.behind == ":" }.map(\.word)
            let hidden = declaredNames(file).filter(\.isPrivate).map(\.name)
            let ours = Set(labels + hidden)
            return file.code.enumerated().flatMap { index, line in
                line.placedWords.compactMap { word, before, behind in
                    let isUse = before == "." || behind == "(" || word.first?.isUppercase == true
                    let layer = types[word] ?? (isUse && !ours.contains(word) ? names[word] : nil)
                    guard let layer, layer > own else { return nil }
                    let room = layer < folders.count ? folders[layer] : "Program.swift"
                    return file.breach(index, "\(word) is from \(room), which is above")
                }
            }
        }
    }

    private static func lowest(
        _ files: [SourceFile], _ names: (SourceFile) -> [Substring]
    ) -> [Substring: Int] {
        let declarations = files.flatMap { file in names(file).map { ($0, layer(of: file) ?? 0) } }
        return Dictionary(declarations, uniquingKeysWith: min)
    }

    /// The index of a file's folder; one above all folders for a file that lies beside them.
    private static func layer(of file: SourceFile) -> Int? {
        let parts = file.path.dropFirst(home.count).split(separator: "/")
        return parts.count == 1 ? folders.count : folders.firstIndex(of: String(parts[0]))
    }

    /// Names of the types that the file declares at its top level and shows to other files.
    private static func declaredTypes(_ file: SourceFile) -> [Substring] {
        let others: Set<Substring> = ["private", "fileprivate", "import", "extension", "func"]
        return file.code.filter { !$0.hasPrefix(" ") }.compactMap { line in
            let words = line.words
            guard let keyword = words.firstIndex(where: typeKeywords.contains),
                keyword + 1 < words.count, !words[..<keyword].contains(where: others.contains)
            else { return nil }
            return words[keyword + 1]
        }
    }

    /// Names of everything that the file declares, at any depth, what is in functions included.
    private static func declaredNames(
        _ file: SourceFile
    ) -> [(name: Substring, isPrivate: Bool)] {
        file.code.flatMap { line in
            let words = line.placedWords
            let isPrivate = words.contains { $0.word == "private" || $0.word == "fileprivate" }
            // `case .a` and `case a:` are patterns; further cases stand behind a comma.
            let names = zip(words, words.dropFirst()).filter { word, next in
                next.before == " " && keywords.contains(word.word)
                    && (word.word != "case" || next.behind != ":")
            }.map(\.1.word)
            let cases = words.first?.word == "case" ? line.split(separator: ",").dropFirst() : []
            return (names + cases.compactMap(\.words.first)).map { ($0, isPrivate) }
        }
    }
}
