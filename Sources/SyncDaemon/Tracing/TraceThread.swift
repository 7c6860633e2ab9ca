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

    /// Ends the thread; what it has not told is forgotten.
    func stop() {
        state.withLock { $0.isStopping = true }
        thread.withLock { $0.take() }?.join()
    }

    private func run(_ endpoint: String, _ instance: String, _ log: Log) {
        let sender = HTTPSender<Int>()
        var generator = SystemRandomNumberGenerator()
        var isUnderWay = false
        while !state.withLock({ $0.isStopping }) {
            if !isUnderWay {
                let now = Clock.monotonicMicroseconds()
                let due = now - min(now, UInt64(Limits.traceSettleMilliseconds) * 1000)
                let traces = sampler.take(
                    submittedBefore: due, atMost: Limits.tracesPerRequestMax)
                if !traces.isEmpty {
                    let export = TraceExport(
                        instance: instance, origin: Clock.wallTicks() * 100 - now * 1000)
                    sender.send(
                        DeliveryRequest(
                            url: endpoint, headers: [],
                            body: export.json(of: traces, using: &generator),
                            timeoutMilliseconds: Limits.traceTimeoutMilliseconds),
                        for: traces.count)
                    isUnderWay = true
                }
            }
            for (count, outcome) in sender.wait(
                atMost: UInt64(Limits.tracePauseMilliseconds))
            {
                isUnderWay = false
                note(outcome, of: count, log)
            }
        }
    }

    private func note(_ outcome: DeliveryOutcome, of count: Int, _ log: Log) {
        let reason: String
        switch outcome {
        case .answered(let status, _, _) where (200..<300).contains(status):
            return state.withLock { $0.figures.told += count }
        case .answered(let status, _, _): reason = "status \(status)"
        case .failed(let words): reason = words
        }
        state.withLock { $0.figures.failed += count }
        log.warning(
            "No collector takes traces: they are forgotten.",
            ["traces": count, "reason": reason])
    }
}
