// Text in columns of equal width. Pure.

extension String {
    /// With blanks at its end, or before it.
    func padded(to columns: Int, fromLeft: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - count))
        return fromLeft ? blanks + self : self + blanks
    }
}
