// What filter expressions compute with.

import EventModel

/// A JSON value, or the lack of one.
indirect enum FilterValue: Sendable {
    /// A field that is not there, or a result that does not exist, such as a division by zero.
    case undefined
    case null
    case bool(Bool)
    /// Finite.
    case number(Double)
    case string(String)
    case list([FilterValue])
    case object(FilterObject)
}

/// The members of a JSON object; their names are compared byte for byte.
struct FilterObject: Sendable, ExpressibleByDictionaryLiteral {
    private let members: [ExactText: FilterValue]

    /// - Parameter members: When a name comes twice, the last one holds.
    init(_ members: [(name: String, value: FilterValue)]) {
        self.members = Dictionary(
            members.map { (ExactText($0.name), $0.value) }, uniquingKeysWith: { _, last in last })
    }

    init(dictionaryLiteral members: (String, FilterValue)...) {
        self.init(members.map { (name: $0.0, value: $0.1) })
    }

    /// A member; ``FilterValue/undefined`` when there is none of this name.
    subscript(name: String) -> FilterValue {
        members[ExactText(name)] ?? .undefined
    }

    fileprivate func isEqual(to other: FilterObject) -> Bool {
        members.count == other.members.count
            && members.allSatisfy { name, value in
                other.members[name].map(value.isEqual) ?? false
            }
    }
}

extension FilterValue {
    /// What the value means as a condition; `nil` when it is undefined.
    var isTrue: Bool? {
        switch self {
        case .undefined: nil
        case .null: false
        case .bool(let flag): flag
        case .number(let number): number != 0
        case .string(let text): !text.isEmpty
        case .list, .object: true
        }
    }

    /// A number, or a string that spells one.
    ///
    /// Publishers often send numbers as strings.
    var number: Double? {
        switch self {
        case .number(let number): return number
        case .string(let text):
            // `Double` also reads "nan", "inf" and hexadecimal digits.
            let isDecimal = text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "+-.eE".utf8.contains(byte)
            }
            guard isDecimal, let number = Double(text), number.isFinite else { return nil }
            return number
        default: return nil
        }
    }

    /// A number without a fraction, for operators on bits.
    var integer: Int64? {
        number.flatMap { Int64(exactly: $0) }
    }

    /// Whether both are the same; a number equals a string that spells it.
    func isEqual(to other: FilterValue) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.string(let left), .string(let right)):
            return left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let left), .object(let right)): return left.isEqual(to: right)
        default:
            guard let left = number, let right = other.number else { return false }
            return left == right
        }
    }
}
