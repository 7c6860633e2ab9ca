// Reads the sections of a configuration file that have names of their own, such as [keyset web].

import EventModel

/// What a section `[WORD NAME]` describes; there may be several, each with another name.
protocol NamedSection: Hashable, Sendable {
    /// Such as `keyset`.
    static var word: String { get }
    static var keys: [SettingKey<Self>] { get }
    /// Sections of this kind in one file.
    static var countMax: Int { get }

    var name: String { get }
    init(name: String)
}

extension NamedSection {
    /// Such as `[keyset web]`.
    var title: String { Self.title(name) }
    static func title(_ name: String) -> String { "[\(word) \(name)]" }

    static func key(named name: String) -> SettingKey<Self>? { keys.first { $0.name == name } }

    /// What stands behind the word, in one spelling; nil for other sections.
    static func name(of section: String) -> String? {
        let words = SectionName.words(of: section)
        return words.first == word[...] ? words.dropFirst().joined(separator: " ") : nil
    }

    /// What somebody meant who misspelt the word before a name.
    static func nearest(to section: String) -> String? {
        let words = SectionName.words(of: section)
        guard let first = words.first, words.count > 1,
            Spelling.nearest(to: String(first), among: [word]) != nil
        else { return nil }
        return title(words.dropFirst().joined(separator: " "))
    }
}

extension SettingKey where Root: NamedSection {
    /// Where its source is noted, such as `keyset web.store`.
    func path(in section: Root) -> String { "\(Root.word) \(section.name).\(name)" }

    /// The default, for people; nil without one.
    var standard: String? { write(Root(name: "")) }
}

/// What a section may be called.
enum SectionName {
    static let bytesMax = 32

    static func isValid(_ text: String) -> Bool {
        (1...bytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
            // What stands in a path, too.
            && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
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

    fileprivate static func words(of section: String) -> [Substring] {
        section.split { $0 == " " || $0 == "\t" }
    }
}

/// Puts sections of one kind together from the lines of one file, in the file's order.
struct SectionCollector<Section: NamedSection> {
    private(set) var sections: [Section] = []
    /// Where each section begins, by its name.
    private var beginnings: [String: ConfigurationSource] = [:]
    /// Where each setting came from, such as `keyset web.store`.
    private(set) var sources: [String: ConfigurationSource] = [:]
    /// The section that is being read; nil in others.
    private var current: Int?
    /// The section being read is of this kind, but a wrong one.
    private var isSkipping = false
    /// Of the section that is being read.
    private var lists = ListLines<Section>()

    /// Takes the first line of any section, before its keys.
    mutating func begin(
        _ section: INISection, in path: String, _ mistakes: inout [ConfigurationError]
    ) {
        finish(&mistakes)
        do throws(ConfigurationError) {
            try begin(section, in: path)
        } catch {
            mistakes.append(error)
        }
    }

    /// Takes what belongs to the section that is being read: nothing comes any more.
    mutating func finish(_ mistakes: inout [ConfigurationError]) {
        guard let current else { return }
        mistakes += lists.finish(&sections[current])
    }

    private mutating func begin(_ section: INISection, in path: String) throws(ConfigurationError) {
        current = nil
        isSkipping = false
        guard let name = Section.name(of: section.name) else { return }
        let source = ConfigurationSource.file(path: path, line: section.line)
        isSkipping = true
        if name.isEmpty {
            throw .unknownSection(source, section: section.name, nearest: Section.title("NAME"))
        }
        guard SectionName.isValid(name) else {
            throw .badValue(
                source, key: "the name of a \(Section.word)", value: name,
                expected: "1 to \(SectionName.bytesMax) letters, digits, dots, - or _")
        }
        guard beginnings[name] == nil else {
            throw .repeated(source, key: Section.title(name))
        }
        beginnings[name] = source
        guard sections.count < Section.countMax else {
            throw .tooMany(source, "\(Section.word)s", max: Section.countMax)
        }
        isSkipping = false
        current = sections.count
        sections.append(Section(name: name))
    }

    /// Takes a key, if it stands in a section of this kind.
    ///
    /// - Returns: Whether it does.
    mutating func take(
        _ entry: INIEntry, at source: ConfigurationSource
    ) throws(ConfigurationError) -> Bool {
        // What is below a wrong line is not another mistake.
        if isSkipping { return true }
        // Not by the section that the entry names: inih cuts long ones.
        guard let current else { return false }
        let title = "\(sections[current].title) \(entry.name)"
        guard let key = Section.key(named: entry.name) else {
            throw .unknownKey(
                source, key: title,
                nearest: Configuration.title(ofKey: entry.name)
                    ?? Spelling.nearest(to: entry.name, among: Section.keys.map(\.name)))
        }
        let before = sources.updateValue(source, forKey: key.path(in: sections[current]))
        guard before == nil || key.isList else { throw .repeated(source, key: title) }
        if key.isList {
            try lists.add(entry.value, of: key, at: source, to: sections[current])
            return true
        }
        guard key.read(entry.value, &sections[current]) else {
            throw key.cannotBe(entry.value, at: source)
        }
        return true
    }

    /// Where a section begins.
    func beginning(of section: Section) -> ConfigurationSource {
        beginnings[section.name] ?? .standard
    }

    /// Where a setting of a section stands; `nil` when it is not set, or not rightly.
    func source(of key: String, in section: Section) -> ConfigurationSource? {
        sources["\(Section.word) \(section.name).\(key)"]
    }
}
