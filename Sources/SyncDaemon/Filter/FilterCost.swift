// What filters cost, so that it can be bounded: an expression of 4 KB over a message of 32 KB can
// ask for some hundred searches.

/// Steps of about ten nanoseconds: one per part of an expression, one per four bytes looked at.
struct FilterCost {
    static let bytesPerStep = 4

    private(set) var steps = 0

    mutating func add(_ steps: Int) { self.steps += steps }
}

extension FilteredMessage {
    /// What an operator costs that looks at all of a value, at most.
    ///
    /// A list or an object is as large as the message at most; a copy of it costs nothing.
    func cost(of value: FilterValue) -> Int {
        switch value {
        case .undefined, .null, .bool, .number: 0
        case .string(let text): text.utf8.count / FilterCost.bytesPerStep
        case .list, .object: cost
        }
    }
}
