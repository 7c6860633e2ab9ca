// Why a repair by difference ends in a snapshot.

/// A repair that cannot be trusted or finished.
public enum RepairError: Error, Hashable, Sendable {
    /// The symbols contradict each other: they are damaged, or of two sets.
    case inconsistent
    /// The agreed number of symbols did not suffice.
    case tooManySymbols
    /// An encoder was given the next symbols of another set.
    case differentSets
    /// Bytes or text that no encoder wrote.
    case malformed
}

extension RepairError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .inconsistent:
            "the coded symbols contradict each other; take a snapshot of the channel"
        case .tooManySymbols:
            "the sets differ by more than the symbols tell; take a snapshot of the channel"
        case .differentSets:
            "the set changed between two runs of symbols; encode both from one set"
        case .malformed:
            "the coded symbols cannot be read; ask for them again or take a snapshot"
        }
    }
}
