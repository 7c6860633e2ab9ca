// A log record as one line that no client can break out of.

import Glibc

enum LogText {
    /// Scalars of one value that are shown; the rest is cut.
    static let valueScalarsMax = 512

    /// Time, level, message, fields: `2026-01-02T03:04:05.678Z notice  Listening reactors=4`.
    static func line(_ record: LogRecord) -> String {
        let level = record.level.rawValue.padding(to: 7)
        return "\(timestamp(record.time)) \(level) \(message(record))"
    }

    /// The message with its fields behind it.
    static func message(_ record: LogRecord) -> String {
        record.fields.reduce(bare(record.message)) { line, field in
            line + " \(bare(field.name))=\(value(field.value))"
        }
    }

    /// UTC with milliseconds, RFC 3339.
    static func timestamp(_ time: LogTime) -> String {
        var seconds = time_t(time.seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let date = unsafe [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday]
        let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        let milliseconds = digits(Int32(time.nanoseconds / 1_000_000), 3)
        return date.map { digits($0, 2) }.joined(separator: "-") + "T"
            + clock.map { digits($0, 2) }.joined(separator: ":") + ".\(milliseconds)Z"
    }

    /// The text as it is when it is one plain word, else in quotes.
    static func value(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            isHarmless($0) && $0 != " " && $0 != "\"" && $0 != "\\" && $0 != "="
        }
        return isPlain && !text.isEmpty && text.unicodeScalars.count <= valueScalarsMax
            ? text : quoted(text)
    }

    /// In double quotes, with everything escaped that could end the quotes, the line or the
    /// terminal's good behaviour.
    static func quoted(_ text: String) -> String {
        "\"" + escaped(text, quotes: true) + "\""
    }

    /// Without quotes; control characters escaped all the same.
    static func bare(_ text: String) -> String { escaped(text, quotes: false) }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if index == valueScalarsMax {
                result.append("…")
                break
            }
            switch scalar {
            case "\"" where quotes, "\\" where quotes: result += ["\\", scalar]
            case "\n": result += ["\\", "n"]
            case "\r": result += ["\\", "r"]
            case "\t": result += ["\\", "t"]
            case _ where isHarmless(scalar): result.append(scalar)
            default: result += "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars
            }
        }
        return String(result)
    }

    /// Whether a terminal shows the scalar and nothing else happens.
    ///
    /// Format characters reverse or hide text (CVE-2021-42574); emoji need the zero-width joiner
    /// and tag characters, which can do neither alone.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f }
        switch scalar.properties.generalCategory {
        case .format: return scalar.value == 0x200d || (0xe0020...0xe007f).contains(scalar.value)
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return false
        default: return true
        }
    }

    private static func digits(_ number: Int32, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
