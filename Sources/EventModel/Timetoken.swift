// The position of an event: the only clock that clients ever see.

/// A point in the engine's one order, in 100-nanosecond ticks since the Unix epoch.
///
/// The ledger issues timetokens. They are unique and strictly increasing over all channels, even
/// when the wall clock steps back, so one cursor can stand for many channels.
///
/// - Unit: 1 tick = 100 ns; today's values have 17 decimal digits.
/// - Wire: a JSON *string*, because JavaScript's numbers round above 2^53.
/// - Range: up to `Int64.max`, which is what SQLite and PostgreSQL store.
/// - Invariant: ``zero`` is never issued. A cursor at ``zero`` means "from the oldest kept event".
public struct Timetoken: RawRepresentable, Hashable, Comparable, Sendable {
    public static let zero = Timetoken(rawValue: 0)
    /// After every timetoken that a store can hold.
    public static let end = Timetoken(rawValue: UInt64(Int64.max))

    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads 1 to 19 decimal digits with a value up to `Int64.max`; anything else is `nil`.
    public init?(_ text: some StringProtocol) {
        var value: Int64 = 0
        guard !text.isEmpty, text.utf8.count <= 19 else { return nil }
        for digit in text.utf8 {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, alsoTooLarge) = tens.addingReportingOverflow(Int64(digit - 0x30))
            guard !tooLarge, !alsoTooLarge else { return nil }
            value = sum
        }
        rawValue = UInt64(value)
    }

    /// Returns the next token to issue after `self`, given a wall-clock reading.
    ///
    /// - Parameter wallClock: Ticks since the Unix epoch; may be behind `self`.
    /// - Returns: `wallClock` when time moved forward, otherwise the tick after `self`.
    public func successor(at wallClock: UInt64) -> Timetoken {
        Timetoken(rawValue: max(wallClock, rawValue + 1))
    }

    /// So many ticks later, but not beyond what stores can keep.
    public func advanced(by ticks: UInt64) -> Timetoken {
        let (sum, isTooLarge) = rawValue.addingReportingOverflow(ticks)
        return Timetoken(rawValue: isTooLarge ? UInt64(Int64.max) : min(sum, UInt64(Int64.max)))
    }

    public static func < (lhs: Timetoken, rhs: Timetoken) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension Timetoken: CustomStringConvertible {
    public var description: String { String(rawValue) }
}
