// The house rules that a compiler and a formatter cannot express, as functions over text.
//
// Idea: TigerBeetle's src/tidy.zig. Each takes a file and says where it is broken, so that a test
// can also hand it a planted breach.

/// Patterns and shapes that may appear only in the places made to hold them.
enum HouseRules {
    static let columnsMax = 100
    static let fileLinesMax = 400
    static let fileLinesAdvised = 300

    /// Which module may be imported where; a place is a folder or a file.
    static let importPlaces: [(module: String, places: [String])] = [
        (
            "CWebsockets",
            ["Sources/SyncDaemon/Transport/", "Sources/SyncClient/Transport/Libwebsockets/"]
        ),
        ("CJansson", ["Tests/JSONTests/"]),
        ("CSQLite", ["Sources/SQLite/", "Sources/SQLiteFaults/"]),
        (
            "SQL",
            [
                "Sources/SQLite/", "Sources/Postgres/", "Sources/SyncDaemon/Store/",
                "Sources/SyncClient/Store/",
            ]
        ),
        ("CLibPQ", ["Sources/Postgres/"]),
        ("Postgres", ["Sources/SyncDaemon/Store/"]),
        ("SQLiteFaults", ["Sources/syncsim/Disk/"]),
        (
            "SQLite",
            ["Sources/SyncDaemon/Store/", "Sources/SyncClient/Store/", "Sources/syncsim/Disk/"]
        ),
        (
            "CUV",
            [
                "Sources/SyncDaemon/Platform/EventLoop.swift",
                "Sources/SyncDaemon/Transport/",
            ]
        ),
        ("CHTTPParser", ["Sources/SyncDaemon/Transport/HTTPRequestParser.swift"]),
        ("CInih", ["Sources/SyncDaemon/Node/INIFile.swift"]),
        (
            "CZlib",
            [
                "Sources/SyncDaemon/Gateway/PubNub/InflateStream.swift",
                "Sources/SyncDaemon/Archive/CompressedFile.swift",
            ]
        ),
        ("CSystemd", ["Sources/SyncDaemon/Platform/"]),
        ("CSodium", ["Sources/SyncDaemon/Store/DigestSecret.swift"]),
        ("CCBOR", ["Sources/SyncDaemon/Access/CBOR"]),
        (
            "COpenSSL",
            [
                "Sources/SyncDaemon/Access/PublicKey.swift",
                "Sources/SyncDaemon/Access/Signing.swift",
                "Sources/syncctl/Tokens/Signature.swift",
                "Sources/SyncDaemon/Transport/TLS/",
            ]
        ),
        ("CCurses", ["Sources/syncctl/Screen/CursesScreen.swift"]),
        ("CCurl", ["Sources/SyncDaemon/Webhooks/HTTPSender.swift"]),
        ("Foundation", ["Sources/SyncClient/Transport/URLSession/", "Sources/SyncModels/"]),
        ("FoundationEssentials", ["Sources/SyncModels/"]),
        ("FoundationNetworking", ["Sources/SyncClient/Transport/URLSession/"]),
        ("Dispatch", []),
    ]

    /// What may be written where; split in two so that this file does not break its own rules.
    static let phrasePlaces: [(phrase: String, places: [String])] = [
        ("nonisolated" + "(unsafe)", []),
        ("try" + "!", []),
        ("FIX" + "ME", []),
        ("TO" + "DO", []),
        (
            "@unchecked" + " Sendable",
            [
                "Sources/Basis/", "Sources/SyncDaemon/Platform/", "Sources/SyncDaemon/Transport/",
                "Sources/SyncClient/Platform/", "Sources/SyncClient/Transport/",
            ]
        ),
    ]

    /// Every breach in one file of `Sources`.
    static func breaches(inSource file: SourceFile) -> [Breach] {
        imports(file) + breaches(inTest: file)
    }

    /// Every breach in one file of `Tests`.
    static func breaches(inTest file: SourceFile) -> [Breach] {
        phrases(file) + shape(file) + FunctionLength.breaches(file)
    }

    static func imports(_ file: SourceFile) -> [Breach] {
        file.code.enumerated().flatMap { index, line -> [Breach] in
            guard let module = importedModule(line) else { return [] }
            if file.path.hasPrefix("Sources/EventModel/") {
                return [file.breach(index, "EventModel imports nothing, and not \(module)")]
            }
            return importPlaces.filter { $0.module == module && !file.isIn($0.places) }.map {
                file.breach(index, "import \(module): \(description(of: $0.places))")
            }
        }
    }

    static func phrases(_ file: SourceFile) -> [Breach] {
        file.lines.enumerated().flatMap { index, line in
            phrasePlaces.filter { line.contains($0.phrase) && !file.isIn($0.places) }.map {
                file.breach(index, "\($0.phrase): \(description(of: $0.places))")
            }
        }
    }

    /// The header line, the width and the length.
    static func shape(_ file: SourceFile) -> [Breach] {
        var breaches: [Breach] = []
        if file.lines.first?.hasPrefix("// ") != true {
            breaches.append(file.breach(0, "start with one // sentence that says what it is for"))
        }
        for (index, line) in file.lines.enumerated() where line.count > columnsMax {
            breaches.append(file.breach(index, "\(line.count) columns, at most \(columnsMax)"))
        }
        if file.lines.count > fileLinesMax {
            let rule = "\(file.lines.count) lines, at most \(fileLinesMax): split it"
            breaches.append(file.breach(fileLinesMax, rule))
        }
        return breaches
    }

    private static func description(of places: [String]) -> String {
        places.isEmpty ? "nowhere" : "only in \(places.joined(separator: ", "))"
    }

    /// The module that an import line names, whatever stands before or behind it.
    static func importedModule(_ line: Substring) -> Substring? {
        let words = line.split { $0 == " " || $0 == "." }
        guard let index = words.firstIndex(of: "import"),
            words[..<index].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains($0) })
        else { return nil }
        return words[(index + 1)...].first { !declarationKinds.contains($0) }
    }

    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let declarationKinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]
}

/// Functions, initializers and subscripts that are too long, by counting braces.
enum FunctionLength {
    static let linesMax = 70

    private struct Declaration {
        let line: Int
        let braces: Int
        let parentheses: Int
    }

    static func breaches(_ file: SourceFile) -> [Breach] {
        var breaches: [Breach] = []
        var open: [Declaration] = []
        var pending: Declaration?
        var braces = 0
        var parentheses = 0
        for (index, line) in file.code.enumerated() {
            for token in tokens(line) {
                switch token {
                case "func", "init", "deinit", "subscript":
                    pending = Declaration(line: index, braces: braces, parentheses: parentheses)
                case "(": parentheses += 1
                case ")": parentheses -= 1
                case "{":
                    // A brace deeper in parentheses belongs to a default argument.
                    if let declaration = pending, declaration.parentheses == parentheses {
                        open.append(declaration)
                        pending = nil
                    }
                    braces += 1
                case "}":
                    braces -= 1
                    guard let last = open.last, last.braces == braces else { continue }
                    open.removeLast()
                    let count = index - last.line + 1
                    if count > linesMax {
                        let rule = "\(count) lines, at most \(linesMax): split it"
                        breaches.append(file.breach(last.line, rule))
                    }
                case "struct", "class", "enum", "extension", "protocol", "var", "let", "case":
                    // What was pending had no body: a requirement of a protocol.
                    if pending?.parentheses == parentheses { pending = nil }
                default: break
                }
            }
        }
        return breaches
    }

    /// Brackets, and words that do not stand behind a dot.
    private static func tokens(_ line: Substring) -> [Substring] {
        var tokens: [Substring] = []
        var rest = line
        var isMember = false
        while let character = rest.first {
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if word.isEmpty {
                if "(){}".contains(character) { tokens.append(rest.prefix(1)) }
                isMember = character == "."
                rest.removeFirst()
            } else {
                if !isMember { tokens.append(word) }
                isMember = false
                rest.removeFirst(word.count)
            }
        }
        return tokens
    }
}
