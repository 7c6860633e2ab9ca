// Long JSON texts, value by value: what is wanted is cut out while the text comes.

/// Cuts a text that is too long to be parsed as a whole into values that are not.
///
/// Its user says of each array and object whether to go into it. Every other value is handed out
/// as it is written, for ``JSONValue/init(parsing:depthMax:)``, which checks it. A text may be one
/// value or several behind each other, with blanks or line ends between them.
public struct JSONSplitter {
    /// How a value is found in the one around it.
    public enum Step: Hashable, Sendable {
        case member(String)
        case element
    }

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd
    }

    private struct Container {
        let isObject: Bool
        var expected: Expected
        /// Of the member that is being read.
        var step = Step.element
    }

    /// What is being collected until it is whole.
    private enum Collected {
        case string, scalar
        /// With this many brackets open.
        case container(Int)
    }

    private var open: [Container] = []
    private var collected: Collected?
    private var isInString = false
    private var isEscaped = false
    private var text: [UInt8] = []
    private var (line, column) = (1, 0)
    private let bytesMax: Int

    /// - Parameter bytesMax: Of one value that is handed out; a longer one is an error.
    public init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Takes the next bytes of the text.
    ///
    /// - Parameters:
    ///   - enters: Whether to go into the array or object at a path; the path of the text itself is
    ///     empty.
    ///   - piece: Told each other value, with its path, until it answers `false`; then the splitter
    ///     is of no more use.
    public mutating func take(
        _ bytes: [UInt8], enters: ([Step]) -> Bool, piece: ([Step], [UInt8]) -> Bool
    ) throws(JSONError) {
        for byte in bytes {
            column += 1
            // The byte behind a number ends it, and is one of the text around it.
            if case .scalar? = collected, Self.endsScalar(byte) {
                guard handOut(piece) else { return }
            }
            if collected != nil {
                guard try collect(byte, piece) else { return }
            } else if !Self.isBlank(byte) {
                try read(byte, enters)
            }
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 0) }
        }
    }

    /// Says that the text is over.
    public mutating func end(piece: ([Step], [UInt8]) -> Bool) throws(JSONError) {
        if case .scalar? = collected { _ = handOut(piece) }
        guard collected == nil, open.isEmpty else { throw problem("the text ends too early") }
    }

    private var path: [Step] { open.map(\.step) }

    /// Between values: a bracket, a comma, a colon, or the first byte of a value.
    private mutating func read(
        _ byte: UInt8, _ enters: ([Step]) -> Bool
    ) throws(JSONError) {
        let last = open.count - 1
        let expected = last < 0 ? .value : open[last].expected
        switch (expected, byte) {
        case (.colon, UInt8(ascii: ":")): open[last].expected = .value
        case (.commaOrEnd, UInt8(ascii: ",")):
            open[last].expected = open[last].isObject ? .name : .value
        case (.commaOrEnd, _), (.valueOrEnd, UInt8(ascii: "]")), (.nameOrEnd, UInt8(ascii: "}")):
            guard byte == UInt8(ascii: open[last].isObject ? "}" : "]") else {
                throw problem("a comma or the end is expected")
            }
            open.removeLast()
            isOver()
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
            begin(.string, with: byte)
        case (.value, _), (.valueOrEnd, _): begin(with: byte, enters)
        default: throw problem("a name, a colon or the end is expected")
        }
    }

    private mutating func begin(with byte: UInt8, _ enters: ([Step]) -> Bool) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            guard enters(path) else { return begin(.container(1), with: byte) }
            open.append(
                Container(isObject: isObject, expected: isObject ? .nameOrEnd : .valueOrEnd))
        case UInt8(ascii: "\""): begin(.string, with: byte)
        default: begin(.scalar, with: byte)
        }
    }

    private mutating func begin(_ collected: Collected, with byte: UInt8) {
        self.collected = collected
        (isInString, isEscaped) = (byte == UInt8(ascii: "\""), false)
        text.append(byte)
    }

    /// - Returns: Whether to go on.
    private mutating func collect(
        _ byte: UInt8, _ piece: ([Step], [UInt8]) -> Bool
    ) throws(JSONError) -> Bool {
        guard text.count < bytesMax else {
            throw problem("a value has more than \(bytesMax) bytes")
        }
        text.append(byte)
        if isInString {
            isInString = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            guard !isInString, case .string? = collected else { return true }
            return try endString(piece)
        }
        guard case .container(let depth)? = collected else { return true }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): collected = .container(depth + 1)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 1 else { return handOut(piece) }
            collected = .container(depth - 1)
        default: break
        }
        return true
    }

    /// A name, or a value.
    private mutating func endString(
        _ piece: ([Step], [UInt8]) -> Bool
    ) throws(JSONError) -> Bool {
        guard let last = open.last, last.expected == .name || last.expected == .nameOrEnd else {
            return handOut(piece)
        }
        let name = try JSONValue(parsing: text).string ?? ""
        (collected, text) = (nil, [])
        open[open.count - 1].step = .member(name)
        open[open.count - 1].expected = .colon
        return true
    }

    private mutating func handOut(_ piece: ([Step], [UInt8]) -> Bool) -> Bool {
        let whole = text
        (collected, text) = (nil, [])
        let goesOn = piece(path, whole)
        isOver()
        return goesOn
    }

    /// A value is over, and what is around it goes on.
    private mutating func isOver() {
        if !open.isEmpty { open[open.count - 1].expected = .commaOrEnd }
    }

    private func problem(_ reason: String) -> JSONError {
        .notJSON(reason: reason, line: line, column: column)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
            || byte == UInt8(ascii: "}")
    }
}
