// The configuration as a file: what `config print` shows, and the sample that is installed.

extension Configuration {
    /// Every setting with its meaning and where it came from, as a file that can be read again.
    func text() -> String {
        Self.text { key in
            let source = sources[key.path] ?? .standard
            return (comment: "From: \(source)", line: assignment(of: key))
        } + (namedKeysets.isEmpty ? Self.sampleKeyset() : keysetsText())
    }

    /// A file with every key commented out at its default.
    static func sampleText() -> String {
        let head = """
            # Configuration of syncdaemon. Each key shows its default: remove the # and change it.
            # A flag of "syncdaemon serve" and a variable beat what stands here.
            # Check it with (one line): STATE_DIRECTORY=/var/lib/syncdaemon syncdaemon config check
            #   --config /etc/syncdaemon/syncdaemon.ini


            """
        return head
            + text { key in
                if key.path == "store.directory" {
                    return (comment: "Default: \(key.standard)", line: "#\(key.name) =")
                }
                return (comment: nil, line: "#" + Configuration().assignment(of: key))
            } + sampleKeyset()
    }

    /// What keysets are, with one that is commented out.
    private static func sampleKeyset() -> String {
        let head = """

            # Keysets are tenants: nothing crosses from one to another. There may be any number of
            # them, each with a name for people. The first one is for clients that name none.
            # Without any, every subscribe key names the one tenant "default".
            # They have no flags and no variables.
            #[keyset example]


            """
        return head
            + keysetText { key in
                guard let value = key.example ?? key.standard else {
                    return (comment: "Default: none", line: "#\(key.name) =")
                }
                return (comment: nil, line: "#\(key.name) = \(value)")
            }
    }

    private func keysetsText() -> String {
        namedKeysets.map { named in
            "\n[keyset \(named.name)]\n\n"
                + Self.keysetText { key in
                    let source = sources["keyset \(named.name).\(key.name)"] ?? .standard
                    let value = key.write(named).map {
                        key.isSecret ? KeysetKey.hiddenSecret : $0
                    }
                    let line = value.map { "\(key.name) = \($0)" } ?? "#\(key.name) ="
                    return (comment: "From: \(source)", line: line)
                }
        }.joined()
    }

    private static func keysetText(
        _ row: (KeysetKey) -> (comment: String?, line: String)
    ) -> String {
        KeysetKey.all.map { key in
            let (comment, line) = row(key)
            let head = TextLayout.wrap(key.summary, width: 96) + (comment.map { [$0] } ?? [])
            return head.map { "# \($0)\n" }.joined() + line + "\n"
        }.joined(separator: "\n")
    }

    private func assignment(of key: ConfigurationKey) -> String {
        let value = key.write(self)
        // One element a line: inih takes only short lines.
        if key.isList, value.contains(", ") {
            return value.split(separator: ", ").map { "\(key.name) = \($0)" }
                .joined(separator: "\n")
        }
        if !value.isEmpty { return "\(key.name) = \(value)" }
        // Only a list may be empty; a memory store has no directory.
        return key.isList ? "\(key.name) =" : "#\(key.name) ="
    }

    private static func text(
        _ row: (ConfigurationKey) -> (comment: String?, line: String)
    ) -> String {
        var lines: [String] = []
        for section in ConfigurationKey.sections {
            lines += ["[\(section)]", ""]
            for key in ConfigurationKey.all where key.section == section {
                let (comment, line) = row(key)
                lines += TextLayout.wrap(key.summary, width: 96).map { "# \($0)" }
                let flag = key.flag + (key.placeholder.map { " \($0)" } ?? "")
                lines.append("# \(flag), \(key.variable)")
                if let comment { lines.append("# \(comment)") }
                lines += [line, ""]
            }
        }
        return lines.dropLast().joined(separator: "\n") + "\n"
    }
}

/// Lays words out in lines.
enum TextLayout {
    /// Lines of at most `width` characters, unless one word is longer.
    static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
