// When one interceptor is asked, and when it fails.

import Basis
import EventModel

/// The questions to one interceptor.
///
/// What somebody writes may have it not answer. So it fails for all when questions of several users
/// in a row had no answer, and for a user alone when so many of that user's had none.
struct InterceptorTurn {
    private var lines = InterceptorLines()
    private var window = InterceptorWindow()
    /// All in the order of their coming; those that were asked are void.
    private var arrivals = Queue<InterceptorQuestion>()
    private var waiting: Set<UInt64> = []
    /// When those under way were asked, in milliseconds, by their numbers.
    private var asked: [UInt64: UInt64] = [:]
    /// Those of them that try a user again; they take no place in the window.
    private var trials: Set<UInt64> = []
    /// Users with new questions about whom it is hardly asked.
    private var held: Set<InterceptorLines.User> = []
    /// Questions in a row without any answer.
    private var failures = 0
    /// Whose these were: as many as it takes.
    private var missing: Set<InterceptorLines.User> = []
    /// Questions in a row without a right one.
    private var wrong = 0
    /// When the last answer came, in milliseconds.
    private var answer: UInt64?
    /// When it may be asked again after too many failures, in milliseconds.
    private var probe: UInt64 = 0
    /// Whose question that was the last time: the next one is somebody else's, if there is any.
    private var prober: InterceptorLines.User?
    /// Tenants of whom something came since the last answer while it failed for all.
    private var tenants: Set<ExactText> = []

    private static let tooOften = InterceptorVerdict.failed(reason: "it has failed too often")

    private var isFailing: Bool {
        failures >= Limits.interceptorFailuresMax
            && missing.count >= Limits.interceptorFailingUsersMin
    }

    var isIdle: Bool { waiting.isEmpty && asked.isEmpty }

    var state: InterceptorState {
        // Whoever it is that writes, an operator is to know.
        if failures >= Limits.interceptorFailuresMax { return .fails }
        return wrong >= Limits.interceptorWrongMax ? .answersWrongly : .works
    }

    mutating func forget() {
        (failures, missing, tenants, wrong, probe) = (0, [], [], 0, 0)
        window = InterceptorWindow()
        lines.setWindow(window.size)
        lines.forgetRecords()
    }

    mutating func add(_ question: InterceptorQuestion) {
        lines.add(question)
        arrivals.append(question)
        waiting.insert(question.number)
        hold(InterceptorLines.User(of: question))
    }

    mutating func step(_ step: inout InterceptorTurns.Step, at now: UInt64) {
        if isFailing { tryAgain(&step, at: now) } else { tryUsers(&step, at: now) }
        while !isFailing, asked.count - trials.count < window.size,
            asked.count < Limits.interceptorRequestsMax, let question = lines.next()
        {
            ask(question, &step, at: now)
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
        if asked.isEmpty, now >= probe {
            if let user = nextProber(isPatient: now < probe + interval) {
                (probe, prober) = (now + interval, user)
                ask(lines.ask(user), &step, at: now)
            }
        }
        while let user = lines.user(where: { _ in true }) {
            tenants.insert(user.keyset)
            step.decided.append((take(of: user), Self.tooOften))
        }
        held = []
    }

    /// Of whom it is tried again: in turn of another tenant, and of who has missed no answer, for
    /// somebody may write what no answer comes to.
    ///
    /// - Parameter isPatient: Whether somebody else may still come.
    private func nextProber(isPatient: Bool) -> InterceptorLines.User? {
        func isOther(_ user: InterceptorLines.User) -> Bool { user.keyset != prober?.keyset }
        if let user = lines.user(where: { isOther($0) && !lines.records.hasMissed($0) })
            ?? lines.user(where: isOther)
        {
            return user
        }
        guard !isPatient || tenants.allSatisfy({ $0 == prober?.keyset }) else { return nil }
        return lines.user { $0 != prober && !lines.records.hasMissed($0) }
            ?? lines.user { $0 != prober } ?? (isPatient ? nil : lines.user { _ in true })
    }

    /// Asks about one write a second of each user who had no answers, and lets no other of
    /// theirs wait.
    private mutating func tryUsers(_ step: inout InterceptorTurns.Step, at now: UInt64) {
        let users = held
        held = []
        for user in users where lines.records.isShut(user) && lines.hasQuestion(user) {
            if trials.count < Limits.interceptorTrialsMax,
                asked.count < Limits.interceptorRequestsMax,
                lines.records.beginTrial(of: user, at: now)
            {
                let question = lines.take(of: user)
                trials.insert(question.number)
                ask(question, &step, at: now)
            }
            // Others are answered: it is what this one writes, and nobody's leave to write it.
            let isAlone = answer.map {
                now < $0 + UInt64(Limits.interceptorAliveMilliseconds)
                    && lines.records.isAlone(user, answer: $0)
            }
            let verdict = isAlone == true ? InterceptorVerdict.unasked : Self.tooOften
            while lines.hasQuestion(user) { step.decided.append((take(of: user), verdict)) }
        }
    }

    /// - Returns: Whether there is no answer because its user asks too much.
    mutating func ended(
        _ question: InterceptorQuestion, _ result: InterceptorAnswer, at now: UInt64
    ) -> Bool {
        let isFull = (asked.count - trials.count) * 2 >= window.size
        guard let begin = asked.removeValue(forKey: question.number) else {
            preconditionFailure("Nobody was asked that.")
        }
        let user = InterceptorLines.User(of: question)
        let isAnswered = result != InterceptorAnswer.none
        // Others had answers meanwhile: it is what this one says, or how much.
        let isAlive = answer.map { $0 > begin } == true
        // Without answers to anybody it may be dead, and then nobody asks too much.
        let isTooMuch = !isAnswered && isAlive && lines.isBeyondShare(user)
        if isAnswered {
            window.answered(
                begin, at: now, within: question.interceptor.timeoutMilliseconds, isFull: isFull)
            lines.records.answered(user)
            (failures, missing, tenants, answer) = (0, [], [], now)
        } else {
            window.missed(begin, at: now)
            lines.records.missed(
                user, isFailure: !isTooMuch, asked: begin, share: lines.userShare)
        }
        if !isTooMuch {
            wrong = result == .right ? 0 : wrong + 1
            if !isAnswered, !isAlive { fail(user) }
        }
        if trials.remove(question.number) == nil {
            lines.ended(question)
        } else {
            lines.records.endTrial(of: user)
        }
        lines.setWindow(window.size)
        hold(user)
        return isTooMuch
    }

    private mutating func fail(_ user: InterceptorLines.User) {
        failures += 1
        if missing.count < Limits.interceptorFailingUsersMin { missing.insert(user) }
    }

    /// What waits of a user about whom it is hardly asked does so no longer.
    private mutating func hold(_ user: InterceptorLines.User) {
        if lines.records.isShut(user), lines.hasQuestion(user) { held.insert(user) }
    }

    private mutating func ask(
        _ question: InterceptorQuestion, _ step: inout InterceptorTurns.Step, at now: UInt64
    ) {
        waiting.remove(question.number)
        asked[question.number] = now
        step.asked.append(question)
    }

    private mutating func take(of user: InterceptorLines.User) -> InterceptorQuestion {
        let question = lines.take(of: user)
        waiting.remove(question.number)
        return question
    }
}
