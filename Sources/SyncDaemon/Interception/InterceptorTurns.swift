// When interceptors are asked: so many at a time, tenants and users in turn, and hardly at all
// while they fail.

/// The questions to all interceptors that are not answered yet; it decides, and sends nothing.
struct InterceptorTurns {
    /// What is to be done now.
    struct Step {
        var asked: [InterceptorQuestion] = []
        /// About whom nobody is asked.
        var decided: [(question: InterceptorQuestion, verdict: InterceptorVerdict)] = []
        /// When there is more, in milliseconds; `nil`: when something comes.
        var next: UInt64?
    }

    private var turns: [String: InterceptorTurn] = [:]

    mutating func add(_ question: InterceptorQuestion) {
        turns[question.interceptor.name, default: InterceptorTurn()].add(question)
    }

    /// - Parameter now: In milliseconds, on a clock that never steps back.
    mutating func step(at now: UInt64) -> Step {
        var step = Step()
        for name in turns.keys { turns[name]?.step(&step, at: now) }
        return step
    }

    /// Something became of a question that was asked.
    ///
    /// - Returns: Whether there is no answer because its user asks too much: no fault of the
    ///   interceptor's.
    mutating func ended(
        _ question: InterceptorQuestion, _ answer: InterceptorAnswer, at now: UInt64
    ) -> Bool {
        guard let isTooMuch = turns[question.interceptor.name]?.ended(question, answer, at: now)
        else { preconditionFailure("Nobody was asked that.") }
        return isTooMuch
    }

    func state(of interceptor: String) -> InterceptorState {
        turns[interceptor]?.state ?? .works
    }

    /// Interceptors are others now: whatever failed may be mended.
    mutating func forgetFailures() {
        for name in turns.keys { forgetFailures(of: name) }
    }

    /// Asks this one as if it had never failed.
    mutating func forgetFailures(of name: String) {
        if turns[name]?.isIdle == true { turns[name] = nil } else { turns[name]?.forget() }
    }

    /// Those that fail now, or answer what is none.
    var troubled: [String] { turns.filter { $0.value.state != .works }.keys.sorted() }
}

/// What became of a question that was asked.
enum InterceptorAnswer: Hashable, Sendable {
    case right
    /// What a client writes may make one that is no good, and must not end the others.
    case wrong
    case none
}

/// What an interceptor is like.
enum InterceptorState: Hashable, Sendable {
    case works
    /// It has not answered rightly for long, and is asked all the same.
    case answersWrongly
    /// It has not answered for long: it is hardly asked, or not about users that this befell.
    case fails
}
