// What EventModel may hold: what a client uses, and what that is made of.

enum Diet {
    /// The daemon's half of an algorithm whose other half devices have: their tests and documents
    /// are one.
    private static let halves: Set<Substring> = ["RatelessDecoder"]

    private struct Declaration {
        let name: Substring
        /// What to say if nothing leads to it.
        let breach: Breach?
        var words: [Substring]
    }

    private static let keywords: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "extension", "func", "let", "var",
    ]

    /// Every type and every limit that shows itself and to which no word of a client leads, be it
    /// through others.
    static func breaches(_ shared: [SourceFile], clients: [SourceFile]) -> [Breach] {
        var rest = shared.flatMap(declarations)
        var words = Set(clients.flatMap(\.code).flatMap(\.words)).union(halves)
        while true {
            let reached = rest.filter { words.contains($0.name) }
            if reached.isEmpty { return rest.compactMap(\.breach) }
            rest.removeAll { words.contains($0.name) }
            words.formUnion(reached.flatMap(\.words))
        }
    }

    /// What stands at the top level of a file; in `Limits` each of them.
    private static func declarations(_ file: SourceFile) -> [Declaration] {
        let isLimits = file.path.hasSuffix("/Limits.swift")
        return file.code.enumerated().reduce(into: []) { declarations, element in
            let words = element.element.words
            let isTop = element.element.first?.isLetter ?? false
            if isTop || isLimits && words.contains("static"),
                let keyword = words.firstIndex(where: keywords.contains), keyword + 1 < words.count
            {
                let name = words[keyword + 1]
                let isShown = ["public", "package"].contains(words[0])
                let rule = "no client uses \(name): the daemon's own belongs into SyncDaemon"
                let breach = isShown ? file.breach(element.offset, rule) : nil
                declarations.append(Declaration(name: name, breach: breach, words: words))
            } else if !declarations.isEmpty {
                declarations[declarations.count - 1].words += words
            }
        }
    }
}
