// Just enough of Swift's lexical structure to tell code from comments and strings.

enum SwiftCode {
    /// The text with comments and the contents of strings turned into spaces, line by line.
    ///
    /// What stands in an interpolation is code and stays.
    static func withoutCommentsAndStrings(_ text: String) -> String {
        var scanner = Scanner(source: Array(text))
        while !scanner.isAtEnd { scanner.step() }
        return String(scanner.result)
    }

    private enum Mode {
        /// `parentheses` counts those that are open in an interpolation.
        case code(parentheses: Int)
        case string(end: String, escape: String)
    }

    private struct Scanner {
        let source: [Character]
        var result: [Character] = []
        private var modes = [Mode.code(parentheses: 0)]
        private var index = 0

        init(source: [Character]) { self.source = source }

        var isAtEnd: Bool { index >= source.count }

        mutating func step() {
            switch modes[modes.count - 1] {
            case .code(let parentheses): stepInCode(parentheses)
            case .string(let end, let escape): stepInString(end, escape)
            }
        }

        private mutating func stepInCode(_ parentheses: Int) {
            if has("//", at: index) {
                return blank((source[index...].firstIndex(of: "\n") ?? source.count) - index)
            }
            let pounds = String(source[index...].prefix { $0 == "#" })
            if has(pounds + "\"", at: index) {
                let quotes = has("\"\"\"", at: index + pounds.count) ? "\"\"\"" : "\""
                modes.append(.string(end: quotes + pounds, escape: "\\" + pounds))
                return blank(pounds.count + quotes.count)
            }
            switch source[index] {
            case "(": modes[modes.count - 1] = .code(parentheses: parentheses + 1)
            case ")" where parentheses == 1 && modes.count > 1: modes.removeLast()
            case ")": modes[modes.count - 1] = .code(parentheses: parentheses - 1)
            default: break
            }
            result.append(source[index])
            index += 1
        }

        private mutating func stepInString(_ end: String, _ escape: String) {
            if has(end, at: index) {
                modes.removeLast()
                blank(end.count)
            } else if has(escape + "(", at: index) {
                blank(escape.count)
                modes.append(.code(parentheses: 0))
            } else {
                blank(has(escape, at: index) ? escape.count + 1 : 1)
            }
        }

        private func has(_ word: String, at start: Int) -> Bool {
            source[min(start, source.count)...].starts(with: word)
        }

        private mutating func blank(_ count: Int) {
            let end = min(index + count, source.count)
            result += source[index..<end].map { $0 == "\n" ? "\n" : " " }
            index = end
        }
    }
}
