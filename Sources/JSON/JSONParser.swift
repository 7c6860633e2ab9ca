// Reads a text as JSON, strictly: where each value stands, and nothing about what it means.

/// One value of a text, or the name of a member.
struct JSONNode {
    enum Kind: UInt8 {
        case object, array, string, integer, real, yes, no, null
    }

    let kind: Kind
    /// Of a string: without escapes.
    var isPlain = true
    /// The first byte, quotes and brackets included.
    let start: Int32
    /// After the last byte.
    var end: Int32
    /// The node after this one and all that are in it.
    var next: Int32
    /// Members or elements.
    var count: Int32 = 0
}

/// Checks a text by RFC 8259, and notes its values in their order.
///
/// Stricter in three things: a name may appear once in an object, a surrogate must have its other
/// half, and depth has a limit. More lenient than most parsers in none: numbers of any size are
/// numbers, and `\u0000` is a character. Nothing here recurses.
struct JSONParser {
    private let bytes: [UInt8]
    private let depthMax: Int
    private var index = 0
    /// Arrays and objects that are open, outermost first.
    private var open: [Int] = []
    /// Each container before its content, each name before its value.
    private(set) var nodes: [JSONNode] = []
    /// Whether there are blanks between the values.
    private(set) var hasBlanks = false

    init(_ bytes: [UInt8], depthMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
        nodes.reserveCapacity(16)
    }

    mutating func parse() throws(JSONError) {
        guard bytes.count < Int32.max else { throw problem("it is too long", at: 0) }
        skipBlanks()
        try value()
        while let container = open.last { try goOn(in: container) }
        skipBlanks()
        guard index == bytes.count else { throw unexpected("the end") }
    }

    /// Closes a container that is open, or reads its next member up to where its value begins.
    private mutating func goOn(in container: Int) throws(JSONError) {
        let isObject = nodes[container].kind == .object
        let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        skipBlanks()
        if current == close {
            index += 1
            open.removeLast()
            nodes[container].end = Int32(index)
            nodes[container].next = Int32(nodes.count)
            if isObject, nodes[container].count > 1 { try checkNames(of: container) }
            return
        }
        if nodes[container].count > 0 {
            guard current == UInt8(ascii: ",") else {
                throw unexpected(isObject ? "',' or '}'" : "',' or ']'")
            }
            index += 1
            skipBlanks()
        }
        if isObject {
            guard current == UInt8(ascii: "\"") else {
                throw unexpected(nodes[container].count > 0 ? "a name" : "a name or '}'")
            }
            try string()
            skipBlanks()
            guard current == UInt8(ascii: ":") else { throw unexpected("':'") }
            index += 1
            skipBlanks()
        }
        nodes[container].count += 1
        try value()
    }

    /// Reads a value, or opens it when it has others in it.
    private mutating func value() throws(JSONError) {
        switch current {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "-"): try number()
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func open(_ kind: JSONNode.Kind) throws(JSONError) {
        guard open.count < depthMax else { throw .tooDeep(limit: depthMax) }
        open.append(nodes.count)
        append(kind, from: index)
        index += 1
    }

    private mutating func append(_ kind: JSONNode.Kind, from start: Int, isPlain: Bool = true) {
        nodes.append(
            JSONNode(
                kind: kind, isPlain: isPlain, start: Int32(start), end: Int32(index),
                next: Int32(nodes.count + 1)))
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONNode.Kind
    ) throws(JSONError) {
        let start = index
        let isThere = unsafe bytes[index...].starts(
            with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        guard isThere else { throw unexpected("a value") }
        index += word.utf8CodeUnitCount
        append(kind, from: start)
    }

    private mutating func number() throws(JSONError) {
        let start = index
        var kind = JSONNode.Kind.integer
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            kind = .real
            index += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            kind = .real
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        append(kind, from: start)
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            index += 1
        }
        guard index > start else { throw unexpected("a digit") }
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) {
        let start = index
        var isPlain = true
        index += 1
        while true {
            guard let byte = current else { throw unexpected("'\"'") }
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return append(.string, from: start, isPlain: isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                try escape()
            case 0..<0x20: throw problem("a control character must be escaped", at: index)
            case 0x20..<0x80: index += 1
            default: try scalar(byte)
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        let start = index
        index += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            guard 0xD800...0xDFFF ~= unit else { return }
            guard unit < 0xDC00, current == UInt8(ascii: "\\") else { throw halfPair(start) }
            index += 1
            guard current == UInt8(ascii: "u"), 0xDC00...0xDFFF ~= (try codeUnit()) else {
                throw halfPair(start)
            }
        default: throw unexpected("one of \"\\/bfnrtu")
        }
    }

    private func halfPair(_ start: Int) -> JSONError {
        problem("a surrogate has no other half", at: start)
    }

    /// Reads `uXXXX`.
    private mutating func codeUnit() throws(JSONError) -> Int {
        index += 1
        var unit = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = hexDigit(byte) else {
                throw unexpected("a hexadecimal digit")
            }
            unit = unit << 4 | digit
            index += 1
        }
        return unit
    }

    /// - Source: RFC 3629, section 4: the ranges of the bytes of one scalar.
    private mutating func scalar(_ first: UInt8) throws(JSONError) {
        let second: ClosedRange<UInt8>
        let rest: Int
        switch first {
        case 0xC2...0xDF: (second, rest) = (0x80...0xBF, 0)
        case 0xE0: (second, rest) = (0xA0...0xBF, 1)
        case 0xED: (second, rest) = (0x80...0x9F, 1)
        case 0xE1...0xEF: (second, rest) = (0x80...0xBF, 1)
        case 0xF0: (second, rest) = (0x90...0xBF, 2)
        case 0xF1...0xF3: (second, rest) = (0x80...0xBF, 2)
        case 0xF4: (second, rest) = (0x80...0x8F, 2)
        default: throw problem("it is not UTF-8", at: index)
        }
        guard index + 1 + rest < bytes.count, second.contains(bytes[index + 1]) else {
            throw problem("it is not UTF-8", at: index)
        }
        for offset in 0..<rest where bytes[index + 2 + offset] & 0xC0 != 0x80 {
            throw problem("it is not UTF-8", at: index)
        }
        index += 2 + rest
    }

    // MARK: Names

    private func checkNames(of object: Int) throws(JSONError) {
        // Most objects have few members: comparing all of them costs less than a set.
        let isSmall = nodes[object].count <= 8
        var names: [Int] = []
        var seen: Set<[UInt8]> = []
        var node = object + 1
        while node < Int(nodes[object].next) {
            let isNew: Bool
            if isSmall {
                isNew = !names.contains { areEqual($0, node) }
                names.append(node)
            } else {
                isNew = seen.insert(bytes.unescaped(nodes[node])).inserted
            }
            guard isNew else {
                throw problem("a duplicate name", at: Int(nodes[node].start))
            }
            node = Int(nodes[node + 1].next)
        }
    }

    private func areEqual(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (nodes[one], nodes[other])
        guard one.isPlain, other.isPlain else {
            return bytes.unescaped(one) == bytes.unescaped(other)
        }
        return one.end - one.start == other.end - other.start
            && bytes[Int(one.start)..<Int(one.end)] == bytes[Int(other.start)..<Int(other.end)]
    }

    // MARK: Bytes

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D {
            hasBlanks = true
            index += 1
        }
    }

    private func unexpected(_ expectation: String) -> JSONError {
        guard index < bytes.count else {
            return problem("\(expectation) is expected, and the text ends", at: index)
        }
        let character = String(decoding: bytes[index...].prefix(8), as: UTF8.self).prefix(1)
        return problem("\(expectation) is expected, not '\(character)'", at: index)
    }

    /// - Parameter place: Counted as people do: lines and characters, from 1.
    private func problem(_ reason: String, at place: Int) -> JSONError {
        let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
        let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = bytes[start..<place].count { $0 & 0xC0 != 0x80 } + 1
        return .notJSON(reason: reason, line: line, column: column)
    }
}
