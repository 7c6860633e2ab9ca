// What operators hear of interceptors that do not answer, or answer what is none.

import EventModel

/// Says it in the log, the first time and then rarely, and in the health.
struct InterceptorWatch {
    /// What was said of one.
    private struct Said {
        /// In the log; after a retry that waits for an answer.
        var logged = InterceptorState.works
        /// In the health, which does not.
        var told = InterceptorState.works
        /// When the last line about an answer was written, in milliseconds.
        var last: UInt64?
        /// Answers since then that were none.
        var unsaid = 0
    }

    private let health: Health
    private let log: Log
    private var said: [String: Said] = [:]

    init(health: Health, log: Log) { (self.health, self.log) = (health, log) }

    /// Takes what came of a question.
    ///
    /// - Parameters:
    ///   - state: What its interceptor is like since.
    ///   - now: In milliseconds.
    /// - Returns: Whether it is like that since now.
    mutating func heed(
        _ verdict: InterceptorVerdict, of interceptor: Interceptor, in state: InterceptorState,
        at now: UInt64
    ) -> Bool {
        var entry = said[interceptor.name] ?? Said()
        defer { said[interceptor.name] = entry }
        let isNews = state != entry.told
        entry.told = state
        if let reason = verdict.fault {
            complain(reason, of: interceptor, &entry, at: now)
            // It is asked as if it had never failed, and has yet to answer.
            if state == .works { return isNews }
        }
        guard state != entry.logged else { return isNews }
        entry.logged = state
        switch state {
        case .works: log.notice("An interceptor answers again.", ["interceptor": interceptor.name])
        case .answersWrongly: break
        case .fails:
            log.warning(
                "An interceptor fails: who had no answer waits for none until one comes again.",
                [
                    "interceptor": interceptor.name, "reason": verdict.fault ?? "",
                    "on_failure": interceptor.failing.rawValue,
                ])
        }
        return isNews
    }

    private func complain(
        _ reason: String, of interceptor: Interceptor, _ entry: inout Said, at now: UInt64
    ) {
        entry.unsaid += 1
        let pause = UInt64(Limits.interceptorLogSeconds) * 1000
        if let last = entry.last, now < last + pause { return }
        log.warning(
            "An interceptor's answer is none.",
            [
                "interceptor": interceptor.name, "reason": reason, "times": entry.unsaid,
                "on_failure": interceptor.failing.rawValue,
            ])
        (entry.last, entry.unsaid) = (now, 0)
    }

    /// Forgets those that are no more; the others are asked anew.
    mutating func keep(_ names: Set<String>) {
        said = said.filter { names.contains($0.key) }
        for name in names { tryAnew(name) }
    }

    /// One is asked as if it had never failed.
    mutating func tryAnew(_ interceptor: String) { said[interceptor]?.told = .works }

    /// Says in the health which of them are no good.
    func tell(_ turns: InterceptorTurns) {
        let names = turns.troubled.map { name in
            turns.state(of: name) == .fails
                ? "\(name) does not answer" : "\(name) answers what is no answer"
        }
        health.set(
            .interceptorsFailing, !names.isEmpty,
            "Interceptors fail: \(names.joined(separator: ", ")). What they should decide is "
                + "refused or allowed, as on_failure says. Mend them; the log says why, and "
                + "syncctl admin webhooks.")
    }
}

extension InterceptorVerdict {
    /// Why it is none, if it is none.
    var fault: String? {
        switch self {
        case .failed(let reason), .unclear(let reason), .unusable(let reason): reason
        case .allowed, .refused, .unasked: nil
        }
    }
}

extension InterceptorAnswer {
    init(_ verdict: InterceptorVerdict) {
        switch verdict {
        case .failed: self = .none
        case .unclear, .unusable: self = .wrong
        case .allowed, .refused, .unasked: self = .right
        }
    }
}
