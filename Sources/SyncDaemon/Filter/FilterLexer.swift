// Cuts the text of a filter expression into tokens.

/// The smallest pieces that mean something.
enum FilterToken: Hashable {
    case number(Double)
    /// Without its quotes and escapes.
    case string(String)
    case name(String)
    /// One of ``FilterLexer/symbols``.
    case symbol(String)
    case end
}

/// A token and where it stands.
struct PlacedFilterToken {
    let token: FilterToken
    /// 1 is the first character of the text.
    let position: Int
    /// As it was written.
    let source: ArraySlice<Unicode.Scalar>
}

/// Reads one token after another.
struct FilterLexer {
    /// Longer ones first, since the first that fits is taken.
    private static let symbols = [
        "||", "&&", "==", "!=", "<=", ">=", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "!",
        "~", "(", ")", ",", ".", "[", "]",
    ].map { Array($0.unicodeScalars) }

    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func next() throws(MessageFilterError) -> PlacedFilterToken {
        while let scalar = peek(), [" ", "\t", "\r", "\n"].contains(scalar) { index += 1 }
        let start = index
        let token = try token()
        return PlacedFilterToken(
            token: token, position: start + 1, source: scalars[start..<index])
    }

    private mutating func token() throws(MessageFilterError) -> FilterToken {
        guard let scalar = peek() else { return .end }
        if scalar.isDigit { return try number() }
        if scalar == "\"" || scalar == "'" { return try string(quote: scalar) }
        if scalar.startsName {
            let start = index
            skip(while: \.continuesName)
            return .name(text(scalars[start..<index]))
        }
        let rest = scalars[index...]
        for symbol in Self.symbols where symbol[0] == scalar && rest.starts(with: symbol) {
            index += symbol.count
            return .symbol(text(symbol[...]))
        }
        throw unexpected(scalar == "=" ? "== or another operator" : "a value or an operator")
    }

    /// Digits, then perhaps a fraction, then perhaps an exponent.
    private mutating func number() throws(MessageFilterError) -> FilterToken {
        let start = index
        skip(while: \.isDigit)
        if peek() == "." {
            index += 1
            guard peek()?.isDigit == true else { throw unexpected("a digit") }
            skip(while: \.isDigit)
        }
        if peek() == "e" || peek() == "E" {
            index += 1
            if peek() == "+" || peek() == "-" { index += 1 }
            guard peek()?.isDigit == true else { throw unexpected("a digit") }
            skip(while: \.isDigit)
        }
        if peek()?.continuesName == true { throw unexpected("a digit or an operator") }
        let source = text(scalars[start..<index])
        guard let number = Double(source), number.isFinite else {
            throw MessageFilterError(
                position: start + 1, found: quoted(source), expected: "a number below 1.8e308")
        }
        return .number(number)
    }

    /// Up to the same quote; a backslash takes its meaning from quotes and backslashes only.
    private mutating func string(quote: Unicode.Scalar) throws(MessageFilterError) -> FilterToken {
        index += 1
        var content: [Unicode.Scalar] = []
        while let scalar = peek() {
            index += 1
            if scalar == quote { return .string(text(content[...])) }
            if scalar == "\\", let next = peek(), ["\"", "'", "\\"].contains(next) {
                index += 1
                content.append(next)
            } else {
                content.append(scalar)
            }
        }
        throw unexpected("the quote that ends the string")
    }

    private mutating func skip(while isWanted: (Unicode.Scalar) -> Bool) {
        while let scalar = peek(), isWanted(scalar) { index += 1 }
    }

    private func peek() -> Unicode.Scalar? {
        index < scalars.count ? scalars[index] : nil
    }

    /// Byte by byte where that will do, which is many times faster.
    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        guard scalars.allSatisfy(\.isASCII) else {
            return String(String.UnicodeScalarView(scalars))
        }
        return String(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
    }

    private func unexpected(_ expected: String) -> MessageFilterError {
        let found = peek().map { quoted(String($0)) } ?? "the end"
        return MessageFilterError(position: index + 1, found: found, expected: expected)
    }
}

/// A piece of the client's text, as an error shows it.
func quoted(_ source: String) -> String {
    let scalarsMax = 32
    let scalars = source.unicodeScalars
    guard scalars.count > scalarsMax else { return "\"\(source)\"" }
    return "\"\(String(scalars.prefix(scalarsMax)))...\""
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var startsName: Bool {
        self == "_" || self == "$" || (isASCII ? isLetter : properties.isIDStart)
    }
    fileprivate var continuesName: Bool {
        self == "$" || (isASCII ? isLetter || isDigit || self == "_" : properties.isIDContinue)
    }
    /// Of ASCII, whose properties need not be looked up.
    private var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
