// Numbered things in the order in which something happened to them last.

/// An order of `0..<count`, kept in two arrays: 8 bytes a member, and no object for any.
struct RecencyList {
    private var earlier: [Int32]
    private var later: [Int32]
    /// Where something happened last; `nil` when there is nothing.
    private(set) var newest: Int?

    private static var none: Int32 { -1 }

    /// - Parameter order: Each of `0..<order.count` once, oldest first.
    init(_ order: [Int]) {
        earlier = Array(repeating: Self.none, count: order.count)
        later = earlier
        for member in order { append(Int32(member)) }
    }

    /// What something happened to before this one.
    func before(_ member: Int) -> Int? {
        earlier[member] == Self.none ? nil : Int(earlier[member])
    }

    /// Makes a member the newest.
    ///
    /// - Complexity: O(1).
    mutating func touch(_ member: Int) {
        guard newest != member else { return }
        let (before, after) = (earlier[member], later[member])
        if before != Self.none { later[Int(before)] = after }
        earlier[Int(after)] = before  // There is one: it is not the newest.
        append(Int32(member))
    }

    private mutating func append(_ member: Int32) {
        if let newest { later[newest] = member }
        earlier[Int(member)] = newest.map(Int32.init) ?? Self.none
        later[Int(member)] = Self.none
        newest = Int(member)
    }
}
