// Sums of numbers that damage may have made of any size.

extension Int {
    /// The sum, or the end of the type that it is beyond.
    @inlinable
    public func addingClamped(_ other: Int) -> Int {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, likewise.
    @inlinable
    public func subtractingClamped(_ other: Int) -> Int {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }
}
