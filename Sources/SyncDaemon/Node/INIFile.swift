// Reads INI text: inih behind one function. The only file that calls inih.

import CInih

/// One `name = value` line.
struct INIEntry: Hashable, Sendable {
    /// Empty before the first `[section]`.
    let section: String
    let name: String
    let value: String
    /// Counted from 1.
    let line: Int
}

/// A line that begins a section.
struct INISection: Hashable, Sendable {
    let name: String
    /// Counted from 1.
    let line: Int
}

/// A line that is not INI, counted from 1.
enum INIError: Hashable {
    case malformed(line: Int)
    case lineTooLong(line: Int)

    var line: Int {
        switch self {
        case .malformed(let line), .lineTooLong(let line): line
        }
    }
}

enum INIFile {
    /// Bytes of a line that Debian's inih takes: `ini_max_line` without CR, LF and NUL.
    static let lineBytesMax = 197

    /// What a text says, and which of its lines say nothing.
    struct Content {
        /// Every `name = value` line, in the file's order.
        var entries: [INIEntry] = []
        var sections: [INISection] = []
        /// In no order; at most ``errorsMax``.
        var errors: [INIError] = []
    }

    /// Lines that are named; what follows a hundred of them is no INI file.
    static let errorsMax = 100

    /// Reads a text as if its wrong lines were not there.
    static func read(_ text: String) -> Content {
        var content = Content()
        let lines = INILines(text)
        content.errors = Array(lines.errors.prefix(errorsMax))
        for error in content.errors { lines.blank(error.line) }
        while content.errors.count < errorsMax {
            let wrong = parse(lines)
            guard wrong > 0 else { break }
            content.errors.append(.malformed(line: wrong))
            lines.blank(wrong)
        }
        content.entries = lines.entries
        content.sections = lines.sections
        return content
    }

    /// Collects every `name = value` line, in the file's order.
    ///
    /// Comments start with `;` or `#` at the beginning of a line, or with ` ;` behind a value.
    /// Indentation means nothing here; inih's own continuation lines are thereby off.
    ///
    /// inih cuts the names of sections and keys after 49 bytes.
    ///
    /// - Returns: The first line that is not INI, counted from 1; 0 without any.
    private static func parse(_ lines: INILines) -> Int {
        lines.rewind()
        let context = unsafe Unmanaged.passUnretained(lines).toOpaque()
        let status = unsafe ini_parse_stream(
            { buffer, capacity, context in
                unsafe INILines.of(context).next(into: buffer, capacity: Int(capacity))
            }, context,
            { context, section, name, value in
                guard let section = unsafe section, let name = unsafe name,
                    let value = unsafe value
                else { return 0 }
                unsafe INILines.of(context).entries.append(
                    INIEntry(
                        section: String(cString: section), name: String(cString: name),
                        value: String(cString: value), line: INILines.of(context).linesRead))
                return 1
            }, context)
        return Int(status)
    }
}

/// Feeds inih line by line, because its callback does not say which line it is about.
private final class INILines {
    private var lines: [[UInt8]]
    /// The number of the line that inih is looking at, from 1.
    private(set) var linesRead = 0
    var entries: [INIEntry] = []

    init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Array($0.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) }
    }

    /// What inih would cut or ignore without a word.
    var errors: [INIError] {
        lines.enumerated().compactMap { index, line in
            if line.count > INIFile.lineBytesMax { return .lineTooLong(line: index + 1) }
            if line.contains(0) { return .malformed(line: index + 1) }
            if line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")),
                let rest = line[(end + 1)...].first(where: { !Self.blanks.contains($0) }),
                rest != UInt8(ascii: ";"), rest != UInt8(ascii: "#")
            {
                return .malformed(line: index + 1)
            }
            return nil
        }
    }

    /// Forgets what stands in a line, counted from 1, but for the section that it begins.
    ///
    /// Otherwise all that is below it would be in the section above.
    func blank(_ number: Int) {
        let line = lines[number - 1]
        let isShort = line.count < INIFile.lineBytesMax && !line.contains(0)
        lines[number - 1] =
            isShort && line.first == UInt8(ascii: "[")
            ? line.prefix { $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "\r") }
                + [UInt8(ascii: "]")] : []
    }

    /// Goes back to the first line.
    func rewind() {
        linesRead = 0
        entries = []
    }

    var sections: [INISection] {
        lines.enumerated().compactMap { index, line in
            // inih skips a byte order mark, and blanks behind it.
            var line = line[...]
            if index == 0, line.starts(with: "\u{FEFF}".utf8) {
                line = line.dropFirst(3).drop { Self.blanks.contains($0) }
            }
            guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]"))
            else { return nil }
            let name = line[..<end].dropFirst()
            return INISection(name: String(decoding: name, as: UTF8.self), line: index + 1)
        }
    }

    private static let blanks: [UInt8] = [
        UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
    ]

    /// The object behind inih's `void *`.
    ///
    /// Alive as long as `INIFile.parse` runs.
    static func of(_ context: UnsafeMutableRawPointer?) -> INILines {
        guard let context = unsafe context else { preconditionFailure("inih lost its context.") }
        return unsafe Unmanaged<INILines>.fromOpaque(context).takeUnretainedValue()
    }

    /// Does what fgets(3) would do for the next line.
    func next(
        into buffer: UnsafeMutablePointer<CChar>?, capacity: Int
    ) -> UnsafeMutablePointer<CChar>? {
        guard let buffer = unsafe buffer, linesRead < lines.count else { return nil }
        let line = lines[linesRead]
        precondition(line.count < capacity, "inih's buffer is smaller than \(line.count + 1).")
        for (index, byte) in line.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[line.count] = 0
        linesRead += 1
        return unsafe buffer
    }
}
