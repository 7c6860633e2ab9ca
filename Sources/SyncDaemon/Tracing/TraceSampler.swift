// Which writes are traced, and those whose moments are not told yet.

import Basis
import EventModel
import Synchronization

/// Takes one write in so many; any thread may ask.
final class TraceSampler: Sendable {
    private struct State {
        var waiting = Queue<Trace>()
        var dropped = 0
    }

    private let oneIn: Int
    private let seen = Atomic<Int>(0)
    private let state = Locked(State())

    /// - Parameter oneIn: 1 takes every write.
    init(oneIn: Int) { self.oneIn = max(1, oneIn) }

    /// Traces that nobody told of, for want of room.
    var dropped: Int { state.withLock { $0.dropped } }

    /// - Parameter moment: Microseconds.
    /// - Returns: `nil`: it is none of those.
    func sample(_ name: String, in channel: Channel, at moment: UInt64) -> Trace? {
        let number = seen.wrappingAdd(1, ordering: .relaxed).oldValue
        guard number % oneIn == 0 else { return nil }
        let trace = Trace(of: name, in: channel, asked: moment)
        return state.withLock { state in
            guard state.waiting.count < Limits.tracesWaitingMax else {
                state.dropped += 1
                return nil
            }
            state.waiting.append(trace)
            return trace
        }
    }

    /// Takes those that were submitted up to a moment, the oldest first.
    func take(submittedBefore moment: UInt64, atMost count: Int) -> [Trace] {
        state.withLock { state in
            var taken: [Trace] = []
            while taken.count < count,
                let trace = state.waiting.popFirst(where: { $0.moments.asked <= moment })
            {
                taken.append(trace)
            }
            return taken
        }
    }
}
