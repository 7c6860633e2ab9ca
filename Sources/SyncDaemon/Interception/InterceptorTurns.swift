// When an interceptor is asked: so many at a time, in time, and hardly at all while it fails.

import Basis
import EventModel

/// The questions to all interceptors that are not answered yet; it decides, and sends nothing.
struct InterceptorTurns {
    /// What is to be done now.
    struct Step {
        var asked: [InterceptorQuestion] = []
        /// Nobody is asked, for their time is over or the interceptor has failed too often.
        var failed: [(question: InterceptorQuestion, reason: String)] = []
        /// When there is more, in milliseconds; `nil`: when something comes.
        var next: UInt64?
    }

    fileprivate struct Turn {
        var waiting = Queue<InterceptorQuestion>()
        var asking = 0
        var failures = 0
        /// When it may be asked again after too many failures, in milliseconds.
        var probe: UInt64 = 0

        var isFailing: Bool { failures >= Limits.interceptorFailuresMax }
    }

    private var turns: [String: Turn] = [:]

    mutating func add(_ question: InterceptorQuestion) {
        turns[question.interceptor.name, default: Turn()].waiting.append(question)
    }

    /// - Parameter now: In milliseconds, on a clock that never steps back.
    mutating func step(at now: UInt64) -> Step {
        var step = Step()
        for name in turns.keys { turns[name]?.step(&step, at: now) }
        return step
    }

    /// Something became of a question that was asked.
    ///
    /// - Returns: Whether the interceptor begins to fail, or works again; `nil`: as before.
    mutating func ended(_ question: InterceptorQuestion, failed: Bool) -> Bool? {
        guard var turn = turns[question.interceptor.name] else {
            preconditionFailure("Nobody was asked that.")
        }
        let wasFailing = turn.isFailing
        turn.asking -= 1
        turn.failures = failed ? turn.failures + 1 : 0
        turns[question.interceptor.name] = turn
        return wasFailing == turn.isFailing ? nil : turn.isFailing
    }

    /// Interceptors are others now: whatever failed may be mended.
    mutating func forgetFailures() {
        for (name, turn) in turns {
            let isIdle = turn.waiting.isEmpty && turn.asking == 0
            turns[name]?.failures = 0
            if isIdle { turns[name] = nil }
        }
    }

    /// Those that fail now.
    var failing: [String] { turns.filter(\.value.isFailing).keys.sorted() }
}

extension InterceptorTurns.Turn {
    fileprivate mutating func step(_ step: inout InterceptorTurns.Step, at now: UInt64) {
        // All have the same time, so the first is over first; after a reload nearly so.
        while let late = waiting.popFirst(where: { $0.deadline <= now }) {
            step.failed.append((late, "it was not asked in time"))
        }
        if isFailing {
            if asking == 0, now >= probe, let question = waiting.popFirst() {
                probe = now + UInt64(Limits.interceptorProbeMilliseconds)
                asking += 1
                step.asked.append(question)
            }
            while let question = waiting.popFirst() {
                step.failed.append((question, "it has failed too often"))
            }
        }
        while asking < Limits.interceptorRequestsMax, let question = waiting.popFirst() {
            asking += 1
            step.asked.append(question)
        }
        if let first = waiting.first { step.next = min(step.next ?? .max, first.deadline) }
    }
}
