// The walk of a reaction as ARCHITECTURE.md tells it, held against the sources.

/// Functions in the order in which a reaction meets them, from socket to socket.
struct Walk {
    struct Station {
        let room: String
        let type: String
        let function: String
        /// The queue through which another thread takes over; `nil` for a plain call.
        let queue: String?
        /// Who calls it, when that is not the station above.
        let caller: String?

        var name: String { "\(type).\(function)" }
    }

    let stations: [Station]

    /// Reads lines such as ` 7  Ledger  LedgerThread.submit ⇢ requests   what it does`.
    init(_ lines: [Substring]) {
        stations = lines.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, Int(words[0]) != nil else { return nil }
            let name = words[2].split(separator: ".")
            guard name.count == 2 else { return nil }
            func marked(_ mark: Substring) -> String? {
                words.count > 4 && words[3] == mark ? String(words[4]) : nil
            }
            return Station(
                room: String(words[1]), type: String(name[0]), function: String(name[1]),
                queue: marked("⇢"), caller: marked("↩"))
        }
    }

    /// The fenced text below a headline of a manual.
    init(below headline: String, in manual: String) {
        let lines = manual.split(separator: "\n", omittingEmptySubsequences: false)
        let section = lines.drop { $0 != headline }.dropFirst()
        let fenced = section.drop { !$0.hasPrefix("```") }.dropFirst().prefix { $0 != "```" }
        self.init(Array(fenced))
    }

    /// How often the reader changes rooms.
    var changesOfRoom: Int {
        zip(stations, stations.dropFirst()).count { $0.room != $1.room }
    }

    /// What is not as it is written: a function that is not there, or does not call the next.
    func breaches(_ files: [SourceFile]) -> [String] {
        var breaches: [String] = []
        for (index, station) in stations.enumerated() {
            if bodies(of: station, in: files).isEmpty {
                breaches.append("\(station.name) is not in \(station.room)")
            }
            guard index > 0 else { continue }
            let caller =
                station.caller.map { name in
                    stations[..<index].first { $0.name == name }
                } ?? stations[index - 1]
            guard let caller else {
                breaches.append("\(station.name) is called by no station above")
                continue
            }
            let word = Substring(caller.queue ?? station.function)
            if let queue = caller.queue, !files.contains(where: { $0.takes(queue, station.type) }) {
                breaches.append("\(station.name) takes nothing from \(queue)")
            }
            let callers = bodies(of: caller, in: files)
            if !callers.isEmpty, !callers.joined().contains(where: { $0.words.contains(word) }) {
                breaches.append("\(caller.name) does not say \(word)")
            }
        }
        return breaches
    }

    private func bodies(of station: Station, in files: [SourceFile]) -> [[Substring]] {
        files.filter { $0.path.contains("/SyncDaemon/\(station.room)/") }
            .flatMap { $0.bodies(of: station.function, in: station.type) }
    }
}

extension SourceFile {
    /// Whether it has a type's declaration, or an extension of it; the functions of no type are
    /// called by their file's name.
    private func declares(_ type: String) -> Bool {
        if path.hasSuffix("/\(type).swift") { return true }
        let keywords: Set<Substring> = ["class", "struct", "enum", "extension", "protocol"]
        return code.contains { line in
            let words = line.words
            return zip(words, words.dropFirst()).contains {
                keywords.contains($0) && $1 == Substring(type)
            }
        }
    }

    /// Whether the type knows a queue by its name.
    fileprivate func takes(_ queue: String, _ type: String) -> Bool {
        declares(type) && code.contains { $0.words.contains(Substring(queue)) }
    }

    /// The lines of every function of that name, if the file has the type.
    fileprivate func bodies(of function: String, in type: String) -> [[Substring]] {
        guard declares(type) else { return [] }
        return code.indices.compactMap { index in
            let words = code[index].words
            guard let keyword = words.firstIndex(of: "func"), keyword + 1 < words.count,
                words[keyword + 1] == Substring(function)
            else { return nil }
            let indent = code[index].prefix { $0 == " " }
            let rest = code[(index + 1)...]
            // On one line, or until the brace below its first letter.
            guard code[index].last(where: { $0 != " " }) != "}" else { return [code[index]] }
            return Array(rest.prefix { $0 != indent + "}" })
        }
    }
}
