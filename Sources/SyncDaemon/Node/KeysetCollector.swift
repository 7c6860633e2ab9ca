// Reads the sections [keyset NAME] of a configuration file.

import EventModel

/// The line that begins a keyset's section, without its brackets.
enum KeysetSection {
    private static let word = "keyset"
    static let nameBytesMax = 32

    /// What stands behind `keyset`, in one spelling; nil for other sections.
    static func name(of section: String) -> String? {
        let words = words(of: section)
        return words.first == word[...] ? words.dropFirst().joined(separator: " ") : nil
    }

    /// What somebody meant who misspelt the word before a name.
    static func nearest(to section: String) -> String? {
        let words = words(of: section)
        guard let first = words.first, words.count > 1,
            Spelling.nearest(to: String(first), among: [word]) != nil
        else { return nil }
        return "[keyset \(words.dropFirst().joined(separator: " "))]"
    }

    static func isName(_ text: String) -> Bool {
        (1...nameBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
    }

    /// A letter, a digit, or one of `-`, `_` and `.`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.".utf8.contains(byte)
        }
    }

    private static func words(of section: String) -> [Substring] {
        section.split { $0 == " " || $0 == "\t" }
    }
}

/// Puts keysets together from the lines of one file, in the file's order.
struct KeysetCollector {
    private var keysets: [NamedKeyset] = []
    /// Where each keyset begins, by its name.
    private var beginnings: [String: ConfigurationSource] = [:]
    /// Where each setting came from, such as `keyset web.store`.
    private(set) var sources: [String: ConfigurationSource] = [:]
    /// The keyset whose section is being read; nil in other sections.
    private var current: Int?
    /// The section being read is one of a keyset, but a wrong one.
    private var isSkipping = false

    /// Takes the first line of any section, before its keys.
    mutating func begin(
        _ section: INISection, in path: String, _ mistakes: inout [ConfigurationError]
    ) {
        do throws(ConfigurationError) {
            try begin(section, in: path)
        } catch {
            mistakes.append(error)
        }
    }

    private mutating func begin(_ section: INISection, in path: String) throws(ConfigurationError) {
        current = nil
        isSkipping = false
        guard let name = KeysetSection.name(of: section.name) else { return }
        let source = ConfigurationSource.file(path: path, line: section.line)
        isSkipping = true
        if name.isEmpty {
            throw .unknownSection(source, section: section.name, nearest: "[keyset NAME]")
        }
        guard KeysetSection.isName(name) else {
            throw .badValue(
                source, key: "the name of a keyset", value: name,
                expected: "1 to \(KeysetSection.nameBytesMax) letters, digits, dots, - or _")
        }
        guard beginnings[name] == nil else {
            throw .repeated(source, key: "[keyset \(name)]")
        }
        beginnings[name] = source
        guard keysets.count < Limits.keysetsMax else { throw .tooManyKeysets(source) }
        isSkipping = false
        current = keysets.count
        keysets.append(NamedKeyset(name: name, keyset: Keyset(subscribeKey: "")))
    }

    /// Takes a key, if it stands in the section of a keyset.
    ///
    /// - Returns: Whether it does.
    mutating func take(
        _ entry: INIEntry, at source: ConfigurationSource
    ) throws(ConfigurationError) -> Bool {
        // What is below a wrong line is not another mistake.
        if isSkipping { return true }
        // Not by the section that the entry names: inih cuts long ones.
        guard let current else { return false }
        let name = keysets[current].name
        guard let key = KeysetKey.named(entry.name) else {
            let elsewhere = ConfigurationKey.all.first { $0.name == entry.name }
            throw .unknownKey(
                source, key: "[keyset \(name)] \(entry.name)",
                nearest: elsewhere?.title
                    ?? Spelling.nearest(to: entry.name, among: KeysetKey.all.map(\.name)))
        }
        guard sources.updateValue(source, forKey: "keyset \(name).\(key.name)") == nil else {
            throw .repeated(source, key: key.title(in: name))
        }
        guard key.read(entry.value, &keysets[current]) else {
            throw .badValue(
                source, key: key.name,
                value: key.isSecret ? KeysetKey.hiddenSecret : entry.value,
                expected: key.expected)
        }
        let subscribeKey = keysets[current].keyset.subscribeKey
        if key.name == "subscribe_key",
            let other = keysets.first(where: {
                $0.name != name && $0.keyset.subscribeKey == subscribeKey
            })
        {
            throw .sameSubscribeKey(source, keyset: name, other: other.name)
        }
        return true
    }

    /// The keysets, and which of them lack what they must have.
    func finished() -> (keysets: [NamedKeyset], mistakes: [ConfigurationError]) {
        let nameless = keysets.filter {
            // One whose key is wrong has been named already.
            $0.keyset.subscribeKey.isEmpty && sources["keyset \($0.name).subscribe_key"] == nil
        }
        return (
            keysets,
            nameless.map {
                .noSubscribeKey(beginnings[$0.name] ?? .standard, keyset: $0.name)
            } + keysets.compactMap(contradiction)
        )
    }

    /// A time that the keyset itself would not take.
    private func contradiction(_ named: NamedKeyset) -> ConfigurationError? {
        let (least, usual) = (named.keyset.presenceSecondsMin, named.keyset.presenceSeconds)
        guard usual < least else { return nil }
        let place = "keyset \(named.name)."
        if let source = sources[place + "presence_timeout"] {
            return .badValue(
                source, key: "presence_timeout", value: String(usual),
                expected: "presence_timeout_min, which is \(least), or more")
        }
        return .badValue(
            sources[place + "presence_timeout_min"] ?? .standard, key: "presence_timeout_min",
            value: String(least), expected: "presence_timeout, which is \(usual), or less")
    }
}
