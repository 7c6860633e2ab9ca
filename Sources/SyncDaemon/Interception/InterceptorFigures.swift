// What is counted of interceptors.

/// What an interceptor was asked since the start.
struct InterceptorFigures: Sendable, Hashable {
    var url = ""
    var asked = 0
    var refused = 0
    var changed = 0
    var failed = 0
    var unasked = 0
    var waiting = 0
    var state = InterceptorState.works
    /// What was wrong with its last answer that was none; empty: with none yet.
    var reason = ""
}

extension InterceptorFigures {
    mutating func count(_ verdict: InterceptorVerdict) {
        asked += 1
        switch verdict {
        case .allowed(nil, nil): break
        case .allowed: changed += 1
        case .refused: refused += 1
        case .failed, .unclear, .unusable: failed += 1
        case .unasked: unasked += 1
        }
    }
}
