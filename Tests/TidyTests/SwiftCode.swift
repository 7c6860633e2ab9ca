// Just enough of Swift's lexical structure to tell code from comments and strings.

enum SwiftCode {
    /// The text with comments and the contents of strings turned into spaces, line by line.
    ///
    /// What stands in an interpolation is code and stays.
    static func withoutCommentsAndStrings(_ text: String) -> String {
        var scanner = Scanner(source: Array(text.utf8))
        while !scanner.isAtEnd { scanner.step() }
        return String(decoding: scanner.result, as: UTF8.self)
    }

    private enum Mode {
        /// `parentheses` counts those that are open in an interpolation.
        case code(parentheses: Int)
        case string(end: [UInt8], escape: [UInt8])
    }

    /// Looks at bytes: nearly all of what it tests for is ASCII, and characters take six times as
    /// long.
    private struct Scanner {
        let source: [UInt8]
        var result: [UInt8] = []
        private var modes = [Mode.code(parentheses: 0)]
        private var index = 0

        init(source: [UInt8]) { self.source = source }

        var isAtEnd: Bool { index >= source.count }

        mutating func step() {
            switch modes[modes.count - 1] {
            case .code(let parentheses): stepInCode(parentheses)
            case .string(let end, let escape): stepInString(end, escape)
            }
        }

        private mutating func stepInCode(_ parentheses: Int) {
            if has([slash, slash], at: index) {
                return blank((source[index...].firstIndex(of: newline) ?? source.count) - index)
            }
            switch source[index] {
            case pound, quote:
                let pounds = source[index...].prefix { $0 == pound }
                guard has([quote], at: index + pounds.count) else { break }
                let isLong = has([quote, quote, quote], at: index + pounds.count)
                let quotes = isLong ? [quote, quote, quote] : [quote]
                modes.append(.string(end: quotes + pounds, escape: [backslash] + pounds))
                return blank(pounds.count + quotes.count)
            case UInt8(ascii: "("): modes[modes.count - 1] = .code(parentheses: parentheses + 1)
            case UInt8(ascii: ")") where parentheses == 1 && modes.count > 1: modes.removeLast()
            case UInt8(ascii: ")"): modes[modes.count - 1] = .code(parentheses: parentheses - 1)
            default: break
            }
            result.append(source[index])
            index += 1
        }

        private mutating func stepInString(_ end: [UInt8], _ escape: [UInt8]) {
            if has(end, at: index) {
                modes.removeLast()
                blank(end.count)
            } else if !has(escape, at: index) {
                blank(1)
            } else if has([UInt8(ascii: "(")], at: index + escape.count) {
                blank(escape.count)
                modes.append(.code(parentheses: 0))
            } else {
                blank(escape.count + 1)
            }
        }

        private func has(_ word: [UInt8], at start: Int) -> Bool {
            source[min(start, source.count)...].starts(with: word)
        }

        private mutating func blank(_ count: Int) {
            let end = min(index + count, source.count)
            for byte in source[index..<end] { result.append(byte == newline ? newline : space) }
            index = end
        }
    }

    private static let slash = UInt8(ascii: "/")
    private static let quote = UInt8(ascii: "\"")
    private static let pound = UInt8(ascii: "#")
    private static let backslash = UInt8(ascii: "\\")
    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
}
