// Reads a pattern, and says what is not in it.

import EventModel

/// One pass over a pattern's scalars; it never goes back.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    /// - Parameter text: Bounded by the caller.
    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Where the next scalar begins, in bytes, for who reads the error.
    private var position: Int { scalars[..<index].reduce(0) { $0 + $1.utf8.count } }

    mutating func parse() throws(AccessPatternError) -> PatternNode {
        let node = try choice()
        guard next == nil else { throw .malformed("a ) closes nothing", at: position) }
        return node
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private mutating func choice() throws(AccessPatternError) -> PatternNode {
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence() throws(AccessPatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = try atom()
            nodes.append(try repetition(of: atom))
        }
        return .sequence(nodes)
    }

    private mutating func atom() throws(AccessPatternError) -> PatternNode {
        let begin = position
        guard let scalar = next else { throw .malformed("something is missing", at: begin) }
        index += 1
        switch scalar {
        case "^": return .start
        case "$": return .end
        case ".": return .set(.any)
        case "(": return try group(from: begin)
        case "[": return .set(try scalarClass(from: begin))
        case "\\": return .set(try escape(from: begin))
        case "*", "+", "?", "{":
            throw .malformed("\(scalar) repeats nothing; a sign itself is \\\(scalar)", at: begin)
        default: return .set(ScalarSet(ranges: [scalar.value...scalar.value]))
        }
    }

    private mutating func group(from begin: Int) throws(AccessPatternError) -> PatternNode {
        depth += 1
        guard depth <= Limits.accessPatternDepthMax else {
            throw .tooDeep(limit: Limits.accessPatternDepthMax)
        }
        if take("?"), !take(":") {
            throw .unsupported("lookahead, lookbehind, names or flags of groups", at: begin)
        }
        if next == "*" { throw .unsupported("verbs", at: begin) }
        let node = try choice()
        guard take(")") else { throw .malformed("a ( is not closed", at: begin) }
        depth -= 1
        return node
    }

    // MARK: Repetitions

    private mutating func repetition(
        of atom: PatternNode
    ) throws(AccessPatternError) -> PatternNode {
        let begin = position
        let bounds: (least: Int, most: Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{": bounds = (0, 0)
        default: return atom
        }
        index += 1
        if atom == .start || atom == .end {
            throw .malformed("^ and $ cannot be repeated", at: begin)
        }
        let counted = scalars[index - 1] == "{" ? try counts(from: begin) : bounds
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
            throw .unsupported(
                "lazy, possessive or doubled repetitions; (…) may be repeated again",
                at: position)
        }
        return .repetition(atom, atLeast: counted.least, atMost: counted.most)
    }

    /// What stands behind a `{`.
    private mutating func counts(
        from begin: Int
    ) throws(AccessPatternError) -> (least: Int, most: Int?) {
        let least = number()
        let hasComma = take(",")
        let most = hasComma ? number() : least
        guard let least, take("}") else {
            throw .malformed("a { is not followed by m}, m,} or m,n}; the sign is \\{", at: begin)
        }
        let limit = Limits.accessPatternStatesMax
        guard least <= limit, most ?? 0 <= limit else { throw .tooLarge(limit: limit) }
        guard least <= most ?? least else {
            throw .malformed("{m,n} has the larger number first", at: begin)
        }
        return (least, most)
    }

    /// Digits, if there are any; what is far too large is only large.
    private mutating func number() -> Int? {
        var number: Int?
        while let digit = next, ("0"..."9").contains(digit) {
            number = min((number ?? 0) * 10 + Int(digit.value - 48), 1_000_000)
            index += 1
        }
        return number
    }

    // MARK: Classes and escapes

    /// What stands behind a `[`.
    private mutating func scalarClass(
        from begin: Int
    ) throws(AccessPatternError) -> ScalarSet {
        var set = ScalarSet(isNegated: take("^"))
        var isFirst = true
        while let scalar = next, isFirst || scalar != "]" {
            isFirst = false
            let place = position
            let lower = try member(from: begin)
            guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                set.ranges += lower.asRanges
                continue
            }
            index += 1
            let upper = try member(from: begin)
            guard let first = lower.lone, let last = upper.lone, first <= last else {
                throw .malformed("a range in a class has no order", at: place)
            }
            set.ranges.append(first...last)
        }
        guard take("]") else { throw .malformed("a [ is not closed", at: begin) }
        return set.merged
    }

    private mutating func member(from begin: Int) throws(AccessPatternError) -> ScalarSet {
        let place = position
        guard let scalar = next else { throw .malformed("a [ is not closed", at: begin) }
        index += 1
        if scalar == "\\" { return try escape(from: place) }
        if scalar == "[", let sign = next, ":.=".unicodeScalars.contains(sign) {
            throw .unsupported("named classes; the sign itself is \\[", at: place)
        }
        return ScalarSet(ranges: [scalar.value...scalar.value])
    }

    /// What stands behind a `\`.
    private mutating func escape(from begin: Int) throws(AccessPatternError) -> ScalarSet {
        guard let scalar = next else { throw .malformed("nothing is behind a \\", at: begin) }
        index += 1
        switch scalar {
        case "d": return .digits
        case "w": return .letters
        case "s": return .blanks
        case "D": return ScalarSet(ranges: ScalarSet.digits.ranges, isNegated: true)
        case "W": return ScalarSet(ranges: ScalarSet.letters.ranges, isNegated: true)
        case "S": return ScalarSet(ranges: ScalarSet.blanks.ranges, isNegated: true)
        case "1"..."9": throw .unsupported("references to groups, such as \\\(scalar)", at: begin)
        default: break
        }
        guard !ScalarSet.letters.contains(scalar.value) || scalar == "_" else {
            throw .unsupported("\\\(scalar)", at: begin)
        }
        return ScalarSet(ranges: [scalar.value...scalar.value])
    }
}

extension ScalarSet {
    /// The scalar of a set that has one.
    fileprivate var lone: UInt32? {
        guard !isNegated, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }
}
