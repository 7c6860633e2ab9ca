// What is wrong with a pattern, in words that who grants a token can act on.

/// A pattern that is not taken; positions are bytes from the beginning, the first is 0.
enum AccessPatternError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong(limit: Int)
    /// Its repetitions make more states than a name may cost.
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    /// Some dialects of regular expressions have it; it is not regular, or not needed.
    case unsupported(String, at: Int)
    case malformed(String, at: Int)

    var description: String {
        switch self {
        case .tooLong(let limit): "A pattern has at most \(limit) bytes."
        case .tooLarge(let limit):
            "A pattern comes to at most \(limit) states: write smaller numbers between { and }."
        case .tooDeep(let limit): "Groups in a pattern are nested at most \(limit) levels deep."
        case .unsupported(let what, let position):
            "A pattern has no \(what) (byte \(position)). It has letters, escaped signs, .,"
                + " classes, (groups), |, *, +, ?, {m,n}, ^ and $."
        case .malformed(let what, let position): "In a pattern, \(what) (byte \(position))."
        }
    }
}
