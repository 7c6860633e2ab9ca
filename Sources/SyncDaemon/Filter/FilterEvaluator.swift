// Computes what a filter expression says about one message.

import EventModel

/// One run over one message, which ends undecided when it costs too much.
struct FilterEvaluator {
    private let message: FilteredMessage
    private(set) var cost = FilterCost()
    private let costMax: Int

    /// - Parameter costMax: Once it has cost as much, everything is undefined.
    init(_ message: FilteredMessage, costMax: Int) {
        self.message = message
        self.costMax = costMax
    }

    /// Whether it ended before it came to a result.
    var isCutShort: Bool { cost.steps > costMax }

    mutating func value(of expression: FilterExpression) -> FilterValue {
        cost.add(1)
        if isCutShort { return .undefined }
        return switch expression {
        case .value(let value): value
        case .path(let source, let keys): keys.reduce(root(source)) { $0[$1] }
        case .list(let members): .list(members.map { value(of: $0) })
        case .not(let operand): FilterValue(value(of: operand).isTrue.map { !$0 })
        case .negative(let operand): FilterValue(number(value(of: operand)).map { -$0 })
        case .complement(let operand):
            FilterValue(
                number(value(of: operand)).flatMap(Int64.init(exactly:)).map { Double(~$0) })
        case .chain(let first, let steps): value(of: first, steps: steps)
        }
    }

    private mutating func value(of first: FilterExpression, steps: [FilterStep]) -> FilterValue {
        var left = value(of: first)
        for step in steps {
            switch step.operation {
            case .and, .or:
                let decisive = step.operation == .or
                if left.isTrue == decisive { return .bool(decisive) }
                let right = value(of: step.operand).isTrue
                if right == decisive { return .bool(decisive) }
                // An undecided operand leaves it open, unless another one decides.
                left = left.isTrue == nil ? .undefined : FilterValue(right)
            default:
                left = result(of: step.operation, left, value(of: step.operand))
            }
        }
        return left
    }

    private mutating func result(
        of operation: FilterOperator, _ left: FilterValue, _ right: FilterValue
    ) -> FilterValue {
        cost.add(message.cost(of: left) + message.cost(of: right))
        return isCutShort ? .undefined : operation.result(left, right)
    }

    private mutating func number(_ value: FilterValue) -> Double? {
        cost.add(message.cost(of: value))
        return isCutShort ? nil : value.number
    }

    private func root(_ source: FilterSource) -> FilterValue {
        switch source {
        case .meta: message.meta
        case .payload: message.payload
        }
    }
}

extension FilterValue {
    fileprivate init(_ flag: Bool?) {
        self = flag.map(FilterValue.bool) ?? .undefined
    }

    fileprivate init(_ number: Double?) {
        guard let number, number.isFinite else {
            self = .undefined
            return
        }
        self = .number(number)
    }

    fileprivate subscript(key: FilterKey) -> FilterValue {
        switch (self, key) {
        case (.object(let object), .name(let name)): object[name]
        case (.list(let list), .index(let index)) where list.indices.contains(index): list[index]
        default: .undefined
        }
    }

    /// The value as an operand of `&`, `|` and `^`; a condition is 1 or 0.
    fileprivate var bits: Int64? {
        if case .bool(let flag) = self { flag ? 1 : 0 } else { integer }
    }

    fileprivate var isUndefined: Bool {
        if case .undefined = self { true } else { false }
    }

    /// Whether this holds an element, or as a string a part, that is the same as `part`.
    fileprivate func contains(_ part: FilterValue) -> Bool {
        switch (self, part) {
        case (.list(let elements), _): elements.contains { $0.isEqual(to: part) }
        case (.string(let text), .string(let part)):
            FilterPattern.firstIndex(of: Array(part.utf8), in: Array(text.utf8)[...]) != nil
        default: false
        }
    }

    fileprivate func isLike(_ pattern: FilterPattern) -> Bool {
        switch self {
        case .string(let text): pattern.matches(text)
        case .list(let elements): elements.contains { $0.isLike(pattern) }
        default: false
        }
    }
}

extension FilterOperator {
    /// What the operator makes of two values; `undefined` when one of them is.
    fileprivate func result(_ left: FilterValue, _ right: FilterValue) -> FilterValue {
        if left.isUndefined || right.isUndefined { return .undefined }
        switch self {
        case .and, .or: preconditionFailure("The evaluator decides \(rawValue) by itself.")
        case .equal: return .bool(left.isEqual(to: right))
        case .notEqual: return .bool(!left.isEqual(to: right))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return .bool(isOrdered(left, right))
        case .isIn: return .bool(right.contains(left))
        case .contains: return .bool(left.contains(right))
        case .like:
            guard case .string(let pattern) = right else { return .bool(false) }
            return .bool(left.isLike(FilterPattern(pattern)))
        case .bitOr, .bitXor, .bitAnd: return bits(left, right)
        case .add, .subtract, .multiply, .divide, .remainder: return number(left, right)
        }
    }

    /// Two strings are in the order of their bytes, everything else must be numbers.
    private func isOrdered(_ left: FilterValue, _ right: FilterValue) -> Bool {
        if case .string(let left) = left, case .string(let right) = right {
            return isOrdered(ExactText(left), ExactText(right))
        }
        guard let left = left.number, let right = right.number else { return false }
        return isOrdered(left, right)
    }

    private func isOrdered<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: preconditionFailure("\(rawValue) is no order.")
        }
    }

    /// On two conditions too: `a == 1 & b == 2` compares first, as in C.
    private func bits(_ left: FilterValue, _ right: FilterValue) -> FilterValue {
        if case .bool(let left) = left, case .bool(let right) = right {
            return .bool(bits(left ? 1 : 0, right ? 1 : 0) == 1)
        }
        guard let left = left.bits, let right = right.bits else { return .undefined }
        return .number(Double(bits(left, right)))
    }

    private func bits(_ left: Int64, _ right: Int64) -> Int64 {
        switch self {
        case .bitOr: left | right
        case .bitXor: left ^ right
        case .bitAnd: left & right
        default: preconditionFailure("\(rawValue) does not work on bits.")
        }
    }

    private func number(_ left: FilterValue, _ right: FilterValue) -> FilterValue {
        guard let left = left.number, let right = right.number else { return .undefined }
        switch self {
        case .add: return FilterValue(left + right)
        case .subtract: return FilterValue(left - right)
        case .multiply: return FilterValue(left * right)
        case .divide: return FilterValue(left / right)
        case .remainder: return FilterValue(left.truncatingRemainder(dividingBy: right))
        default: preconditionFailure("\(rawValue) does not calculate.")
        }
    }
}
