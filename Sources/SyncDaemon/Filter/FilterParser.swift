// Makes a tree of a filter expression.

import EventModel

/// A filter as a tree whose depth is bounded by the nesting of its text, not by its length.
indirect enum FilterExpression: Sendable {
    case value(FilterValue)
    /// A way into the message or into what was published beside it.
    case path(FilterSource, [FilterKey])
    case list([FilterExpression])
    case not(FilterExpression)
    case negative(FilterExpression)
    case complement(FilterExpression)
    /// Operators of one precedence, applied from left to right.
    case chain(FilterExpression, [FilterStep])
}

enum FilterSource: Sendable {
    case meta, payload
}

enum FilterKey: Sendable {
    case name(String)
    case index(Int)
}

struct FilterStep: Sendable {
    let operation: FilterOperator
    let operand: FilterExpression
}

enum FilterOperator: String, Sendable {
    case or = "||"
    case and = "&&"
    case bitOr = "|"
    case bitXor = "^"
    case bitAnd = "&"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "in"
    case contains, like
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// The higher, the closer its operands; as in C, with the words beside `<`.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .bitOr, .bitXor: 3
        case .bitAnd: 4
        case .equal, .notEqual: 5
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .contains, .like: 6
        case .add, .subtract: 7
        case .multiply, .divide, .remainder: 8
        }
    }

    /// Words are written in small or in capital letters.
    init?(_ token: FilterToken) {
        switch token {
        case .symbol(let symbol): self.init(rawValue: symbol)
        case .name(let name):
            let word = name.lowercased()
            guard name == word || name == name.uppercased() else { return nil }
            self.init(rawValue: word)
        default: return nil
        }
    }
}

/// Recursive descent, one token ahead.
struct FilterParser {
    private var lexer: FilterLexer
    private var current: PlacedFilterToken
    private var depth = 0

    init(_ text: String) throws(MessageFilterError) {
        lexer = FilterLexer(text)
        current = try lexer.next()
    }

    /// The whole text.
    mutating func filter() throws(MessageFilterError) -> FilterExpression {
        if current.token == .end { return .value(.bool(true)) }
        let filter = try expression()
        guard current.token == .end else { throw unexpected("an operator or the end") }
        return filter
    }

    /// A value and what operators of at least this precedence do to it.
    private mutating func expression(
        atLeast minimum: Int = 1
    ) throws(MessageFilterError) -> FilterExpression {
        var left = try unary()
        while let precedence = FilterOperator(current.token)?.precedence, precedence >= minimum {
            var steps: [FilterStep] = []
            while let operation = FilterOperator(current.token),
                operation.precedence == precedence
            {
                try advance()
                let operand = try expression(atLeast: precedence + 1)
                steps.append(FilterStep(operation: operation, operand: operand))
            }
            left = .chain(left, steps)
        }
        return left
    }

    private mutating func unary() throws(MessageFilterError) -> FilterExpression {
        guard case .symbol(let sign) = current.token, ["!", "-", "~"].contains(sign) else {
            return try primary()
        }
        try enter()
        let operand = try unary()
        depth -= 1
        return switch sign {
        case "!": .not(operand)
        case "-": .negative(operand)
        default: .complement(operand)
        }
    }

    private mutating func primary() throws(MessageFilterError) -> FilterExpression {
        switch current.token {
        case .number(let number):
            try advance()
            return .value(.number(number))
        case .string(let text):
            try advance()
            return .value(.string(text))
        case .symbol("("):
            return try group()
        case .name(let name) where FilterOperator(current.token) == nil:
            try advance()
            return try path(from: name)
        default:
            throw unexpected("a value")
        }
    }

    /// What stands in parentheses: one expression, or the members of a list.
    private mutating func group() throws(MessageFilterError) -> FilterExpression {
        try enter()
        var members = [try expression()]
        while current.token == .symbol(",") {
            try advance()
            members.append(try expression())
        }
        guard current.token == .symbol(")") else { throw unexpected("an operator, \",\" or \")\"") }
        try advance()
        depth -= 1
        return members.count == 1 ? members[0] : .list(members)
    }

    /// What a name and the keys behind it lead to.
    private mutating func path(from name: String) throws(MessageFilterError) -> FilterExpression {
        var keys: [FilterKey] = []
        while let key = try key() { keys.append(key) }
        switch name {
        case "data": return .path(.payload, keys)
        case "meta": return .path(.meta, keys)
        case "true" where keys.isEmpty: return .value(.bool(true))
        case "false" where keys.isEmpty: return .value(.bool(false))
        case "null" where keys.isEmpty: return .value(.null)
        default: return .path(.meta, [.name(name)] + keys)
        }
    }

    /// `.name`, `["name"]` or `[0]`; `nil` when neither follows.
    private mutating func key() throws(MessageFilterError) -> FilterKey? {
        if current.token == .symbol(".") {
            try advance()
            guard case .name(let name) = current.token else { throw unexpected("a name") }
            try advance()
            return .name(name)
        }
        guard current.token == .symbol("[") else { return nil }
        try advance()
        let key: FilterKey
        switch current.token {
        case .string(let name): key = .name(name)
        case .number(let number):
            guard let index = Int(exactly: number) else { throw unexpected("a whole number") }
            key = .index(index)
        default: throw unexpected("a number or a string")
        }
        try advance()
        guard current.token == .symbol("]") else { throw unexpected("\"]\"") }
        try advance()
        return key
    }

    /// Steps over a token behind which everything is one level deeper.
    private mutating func enter() throws(MessageFilterError) {
        guard depth < Limits.filterDepthMax else {
            throw unexpected("at most \(Limits.filterDepthMax) levels of nesting")
        }
        depth += 1
        try advance()
    }

    private mutating func advance() throws(MessageFilterError) {
        current = try lexer.next()
    }

    private func unexpected(_ expected: String) -> MessageFilterError {
        MessageFilterError(
            position: current.position,
            found: current.token == .end
                ? "the end" : quoted(String(String.UnicodeScalarView(current.source))),
            expected: expected)
    }
}
