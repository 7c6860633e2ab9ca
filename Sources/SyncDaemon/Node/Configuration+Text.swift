// The configuration as a file: what `config print` shows, and the sample that is installed.

import EventModel

extension Configuration {
    /// Every setting with its meaning and where it came from, as a file that can be read again.
    func text() -> String {
        Self.text { key in
            ("From: \(sources[key.path] ?? .standard)", Self.line(key, key.write(self)))
        }
            + (namedKeysets.isEmpty ? Self.sampleKeyset() : namedKeysets.map(text).joined())
            + (namespaces.isEmpty ? Self.sampleNamespace() : namespaces.map(text).joined())
            + (namedWebhooks.isEmpty ? Self.sampleWebhook() : namedWebhooks.map(text).joined())
            + (namedInterceptors.isEmpty
                ? Self.sampleInterceptor() : namedInterceptors.map(text).joined())
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
                if let example = key.example {
                    let standard = defaultTexts[key.path] ?? "none"
                    return ("Default: \(standard)", "#" + line(key, example))
                }
                if let standard = defaultTexts[key.path] {
                    return ("Default: \(standard)", line(key, nil))
                }
                return (nil, "#" + line(key, key.standard))
            } + sampleKeyset() + sampleNamespace() + sampleWebhook() + sampleInterceptor()
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
        return head + sample(of: NamedKeyset.self)
    }

    /// What namespaces are, with one that is commented out.
    private static func sampleNamespace() -> String {
        let head = """

            # Namespaces say for some channels what else a keyset says for all of its own. There may
            # be any number of them, each with a name for people.
            # They have no flags and no variables.
            #[namespace example]


            """
        return head + sample(of: Namespace.self)
    }

    /// What webhooks are, with one that is commented out.
    private static func sampleWebhook() -> String {
        let head = """

            # Webhooks tell a receiver what happens, by signed requests: see WEBHOOKS.md. There may
            # be any number of them up to \(Limits.webhooksMax), each with a name that requests \
            carry.
            # They have no flags and no variables.
            #[webhook example]


            """
        return head + sample(of: NamedWebhook.self)
    }

    /// What interceptors are, with one that is commented out.
    private static func sampleInterceptor() -> String {
        let head = """

            # Interceptors are asked before something is written, and allow, change or refuse it:
            # see WEBHOOKS.md. There may be up to \(Limits.interceptorsMax); the first one that is
            # for a channel is asked. They have no flags and no variables.
            #[interceptor example]


            """
        return head + sample(of: NamedInterceptor.self)
    }

    private static func sample<Section: NamedSection>(of section: Section.Type) -> String {
        rows(section.keys) { key in
            guard let value = key.example ?? key.standard else {
                return (["Default: \(key.isInherited ? "its keyset's" : "none")"], line(key, nil))
            }
            // A list has one element a line.
            return ([], "#" + line(key, value).replacing("\n", with: "\n#"))
        }
    }

    private func text<Section: NamedSection>(of section: Section) -> String {
        "\n\(section.title)\n\n"
            + Self.rows(Section.keys) { key in
                let source =
                    sources[key.path(in: section)]?.description
                    ?? (key.isInherited ? "its keyset" : "\(ConfigurationSource.standard)")
                let value = key.write(section).map {
                    key.isSecret ? SettingKey<Section>.hiddenSecret : $0
                }
                return (["From: \(source)"], Self.line(key, value))
            }
    }

    /// Such as `readers = 2`; a comment when there is no value.
    private static func line<Root>(_ key: SettingKey<Root>, _ value: String?) -> String {
        // One element a line: inih takes only short lines.
        if key.isList, let value, value.contains(", ") {
            return value.split(separator: ", ").map { "\(key.name) = \($0)" }
                .joined(separator: "\n")
        }
        if let value, !value.isEmpty { return "\(key.name) = \(value)" }
        // Only a list may be empty; a memory store has no directory.
        return key.isList && value != nil ? "\(key.name) =" : "#\(key.name) ="
    }

    private static func text(
        _ row: (SettingKey<Configuration>) -> (comment: String?, line: String)
    ) -> String {
        sections.map { section in
            "[\(section)]\n\n"
                + rows(keys.filter { $0.section == section }) { key in
                    let (comment, line) = row(key)
                    let flag = key.flag + (key.placeholder.map { " \($0)" } ?? "")
                    return (["\(flag), \(key.variable)"] + [comment].compactMap(\.self), line)
                }
        }.joined(separator: "\n")
    }

    /// Each key below what it means.
    private static func rows<Root>(
        _ keys: [SettingKey<Root>],
        _ row: (SettingKey<Root>) -> (comments: [String], line: String)
    ) -> String {
        keys.map { key in
            let (comments, line) = row(key)
            let head = TextLayout.wrap(key.summary, width: 96) + comments
            return head.map { "# \($0)\n" }.joined() + line + "\n"
        }.joined(separator: "\n")
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
