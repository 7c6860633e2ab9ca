// What a reaction counts for, as it is added again and taken back. The same rule at both ends.

extension ReactionRules {
    /// Whether each add of such an action counts.
    func counts(_ type: String) -> Bool {
        (mode == .multiple || mode == .total) && isReaction(type)
    }

    /// What an action counts for once it was added.
    ///
    /// - Parameters:
    ///   - type: In its canonical form.
    ///   - asked: What the user said; `nil`: nothing.
    ///   - standing: What the one that stands counts for; `nil`: none does.
    public func score(adding type: String, _ asked: Int?, to standing: Int?) -> Int {
        // Scores are bounded far below what an integer can hold.
        counts(type) ? (standing ?? 0) + (asked ?? 1) : asked ?? standing ?? 1
    }

    /// What is left of an action that is taken back; `nil`: nothing.
    public func score(removingFrom standing: Int, _ type: String) -> Int? {
        takesOff(type) && standing > 1 ? standing - 1 : nil
    }

    /// Whether who takes such an action back takes one off, whichever stands.
    ///
    /// - Parameter type: In its canonical form.
    public func takesOff(_ type: String) -> Bool { mode == .total && isReaction(type) }
}
