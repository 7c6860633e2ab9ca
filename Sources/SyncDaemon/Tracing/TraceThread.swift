// The thread that tells a collector of traces, a while after they were begun.

import Basis
import EventModel

/// Sends traces; what no collector takes is forgotten, and nobody waits for it.
final class TraceThread: Sendable {
    struct Figures: Sendable, Hashable {
        /// Traces that a collector took.
        var told = 0
        /// Those that none took.
        var failed = 0
    }

    private struct State {
        var figures = Figures()
        var isStopping = false
    }

    let sampler: TraceSampler
    private let state = Locked(State())
    private let thread: Locked<OSThread?> = Locked(nil)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - endpoint: Where a collector takes traces, such as `http://127.0.0.1:4318/v1/traces`.
    ///   - instance: What tells this daemon from others.
    init(endpoint: String, oneIn: Int, instance: String, log: Log) {
        sampler = TraceSampler(oneIn: oneIn)
        thread.withLock { thread in
            thread = OSThread(name: "traces") { [self] in run(endpoint, instance, log) }
        }
    }

    var figures: Figures { state.withLock { $0.figures } }

    /// Ends the thread; what is left has one try more, and half a second.
    func stop() {
        state.withLock { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    private func run(_ endpoint: String, _ instance: String, _ log: Log) {
        let sender = HTTPSender<Int>()
        var isUnderWay = false
        while !state.withLock({ $0.isStopping }) {
            if !isUnderWay {
                let settling = UInt64(Limits.traceSettleMilliseconds) * 1000
                let now = Clock.monotonicMicroseconds()
                isUnderWay = tell(endpoint, instance, before: now - min(now, settling), by: sender)
            }
            if wait(for: sender, atMost: Limits.tracePauseMilliseconds, log) { isUnderWay = false }
        }
        let end = Clock.monotonicMilliseconds() + UInt64(Limits.traceStopMilliseconds)
        while isUnderWay || tell(endpoint, instance, before: .max, by: sender) {
            isUnderWay = true
            let now = Clock.monotonicMilliseconds()
            guard now < end else { break }
            if wait(for: sender, atMost: Int(end - now), log) { isUnderWay = false }
        }
    }

    /// - Returns: Whether something is under way now.
    private func tell(
        _ endpoint: String, _ instance: String, before moment: UInt64, by sender: HTTPSender<Int>
    ) -> Bool {
        let traces = sampler.take(submittedBefore: moment, atMost: Limits.tracesPerRequestMax)
        guard !traces.isEmpty else { return false }
        var generator = SystemRandomNumberGenerator()
        let origin = Clock.wallTicks() * 100 - Clock.monotonicMicroseconds() * 1000
        let export = TraceExport(instance: instance, origin: origin)
        sender.send(
            DeliveryRequest(
                url: endpoint, headers: [], body: export.json(of: traces, using: &generator),
                timeoutMilliseconds: Limits.traceTimeoutMilliseconds,
                answerBytesMax: Limits.traceAnswerBytesMax),
            for: traces.count)
        return true
    }

    /// - Returns: Whether nothing is under way any more.
    private func wait(
        for sender: HTTPSender<Int>, atMost milliseconds: Int, _ log: Log
    ) -> Bool {
        var isOver = false
        for (count, outcome) in sender.wait(atMost: UInt64(milliseconds)) {
            isOver = true
            note(outcome, of: count, log)
        }
        return isOver
    }

    private func note(_ outcome: DeliveryOutcome, of count: Int, _ log: Log) {
        guard let reason = TraceExport.refusal(outcome) else {
            return state.withLock { $0.figures.told += count }
        }
        state.withLock { $0.figures.failed += count }
        log.warning(
            "No collector takes traces: they are forgotten.",
            ["traces": count, "reason": reason])
    }
}
