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
enum INIError: Error, Hashable {
    case malformed(line: Int)
    case lineTooLong(line: Int)
}

enum INIFile {
    /// Bytes of a line that Debian's inih takes: `ini_max_line` without CR, LF and NUL.
    static let lineBytesMax = 197

    /// Every `name = value` line, in the file's order.
    ///
    /// Comments start with `;` or `#` at the beginning of a line, or with ` ;` behind a value.
    /// Indentation means nothing here; inih's own continuation lines are thereby off.
    ///
    /// inih cuts the names of sections and keys after 49 bytes.
    static func parse(_ text: String) throws(INIError) -> [INIEntry] {
        let lines = INILines(text)
        if let error = lines.firstError { throw error }
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
        if status != 0 { throw .malformed(line: Int(status)) }
        return lines.entries
    }

    /// Every `[section]` line of a text that `parse` takes, in the file's order.
    ///
    /// inih tells of a section only with its first key, and nothing of one without keys.
    static func sections(_ text: String) -> [INISection] {
        INILines(text).sections
    }
}

/// Feeds inih line by line, because its callback does not say which line it is about.
private final class INILines {
    private let lines: [[UInt8]]
    /// The number of the line that inih is looking at, from 1.
    private(set) var linesRead = 0
    var entries: [INIEntry] = []

    init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Array($0.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) }
    }

    /// What inih would cut or ignore without a word.
    var firstError: INIError? {
        for (index, line) in lines.enumerated() {
            if line.count > INIFile.lineBytesMax { return .lineTooLong(line: index + 1) }
            if line.contains(0) { return .malformed(line: index + 1) }
            if line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")),
                let rest = line[(end + 1)...].first(where: { !Self.blanks.contains($0) }),
                rest != UInt8(ascii: ";"), rest != UInt8(ascii: "#")
            {
                return .malformed(line: index + 1)
            }
        }
        return nil
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
