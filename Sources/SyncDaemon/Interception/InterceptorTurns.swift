// When an interceptor is asked: so many at a time, tenants and users in turn, and hardly at all
// while it fails.

import Basis
import EventModel

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
    mutating func ended(_ question: InterceptorQuestion, _ answer: InterceptorAnswer) {
        let name = question.interceptor.name
        precondition(turns[name] != nil, "Nobody was asked that.")
        turns[name]?.ended(question, answer)
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
    /// It has not answered for long, and is hardly asked.
    case fails
}

/// The questions to one interceptor.
private struct InterceptorTurn {
    private var lines = InterceptorLines()
    /// All in the order of their coming; those that were asked are void.
    private var arrivals = Queue<InterceptorQuestion>()
    private var waiting: Set<UInt64> = []
    private var asking = 0
    /// Questions in a row without any answer.
    private var failures = 0
    /// Questions in a row without a right one.
    private var wrong = 0
    /// When it may be asked again after too many failures, in milliseconds.
    private var probe: UInt64 = 0
    /// Whose question that was the last time: the next one is somebody else's, if there is any.
    private var prober: InterceptorLines.User?

    var isFailing: Bool { failures >= Limits.interceptorFailuresMax }
    var isIdle: Bool { waiting.isEmpty && asking == 0 }

    var state: InterceptorState {
        if isFailing { return .fails }
        return wrong >= Limits.interceptorWrongMax ? .answersWrongly : .works
    }

    mutating func forget() { (failures, wrong, probe) = (0, 0, 0) }

    mutating func add(_ question: InterceptorQuestion) {
        lines.add(question)
        arrivals.append(question)
        waiting.insert(question.number)
    }

    mutating func step(_ step: inout InterceptorTurns.Step, at now: UInt64) {
        if isFailing { tryAgain(&step, at: now) }
        while asking < Limits.interceptorRequestsMax, !isFailing, let question = lines.next() {
            ask(question, &step)
        }
        while let first = arrivals.first {
            guard waiting.contains(first.number) else {
                _ = arrivals.popFirst()
                continue
            }
            guard first.deadline <= now else {
                step.next = min(step.next ?? .max, first.deadline)
                break
            }
            step.decided.append((take(of: InterceptorLines.User(of: first)), .unasked))
        }
    }

    /// Asks about one write a second, and lets no other wait.
    private mutating func tryAgain(_ step: inout InterceptorTurns.Step, at now: UInt64) {
        let interval = UInt64(Limits.interceptorProbeMilliseconds)
        if asking == 0, now >= probe {
            let user =
                lines.user(besides: prober) ?? (now >= probe + interval ? prober : nil)
            if let user, lines.hasQuestion(user) {
                (probe, prober) = (now + interval, user)
                ask(lines.ask(user), &step)
            }
        }
        while let user = lines.user(besides: nil) {
            step.decided.append((take(of: user), .failed(reason: "it has failed too often")))
        }
    }

    mutating func ended(_ question: InterceptorQuestion, _ answer: InterceptorAnswer) {
        lines.ended(question)
        asking -= 1
        failures = answer == .none ? failures + 1 : 0
        wrong = answer == .right ? 0 : wrong + 1
    }

    private mutating func ask(_ question: InterceptorQuestion, _ step: inout InterceptorTurns.Step)
    {
        waiting.remove(question.number)
        asking += 1
        step.asked.append(question)
    }

    private mutating func take(of user: InterceptorLines.User) -> InterceptorQuestion {
        let question = lines.take(of: user)
        waiting.remove(question.number)
        return question
    }
}
