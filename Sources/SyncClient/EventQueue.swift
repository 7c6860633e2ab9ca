// What stands between the client and one reader of its events: bounded, never silently lossy.

/// The events that one stream has not handed out yet.
final class EventQueue: Sendable {
    private struct State: Sendable {
        var waiting = Queue<SyncEvent>()
        var reader: CheckedContinuation<SyncEvent?, Never>?
        var isFinished = false
    }

    private let state = Locked(State())
    private let capacity: Int

    init(capacity: Int = ClientLimits.eventsWaitingMax) {
        self.capacity = capacity
    }

    /// The queue as a sequence for one reader, who keeps the queue alive.
    var stream: AsyncStream<SyncEvent> {
        AsyncStream {
            await self.next()
        } onCancel: {
            self.finish()
        }
    }

    /// Adds an event; when the reader is far behind, what waited becomes one `eventsMissed`.
    func append(_ event: SyncEvent) {
        let reader = state.withLock { state -> CheckedContinuation<SyncEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if state.waiting.count >= capacity {
                state.waiting.removeAll()
                state.waiting.append(.eventsMissed)
            }
            state.waiting.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Lets the reader take what waits, and nothing after that.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    private func next() async -> SyncEvent? {
        await withCheckedContinuation { (continuation: CheckedContinuation<SyncEvent?, Never>) in
            let known: SyncEvent?? = state.withLock { state in
                if let event = state.waiting.popFirst() { return .some(event) }
                if state.isFinished { return .some(nil) }
                precondition(state.reader == nil, "Only one task at a time may read a stream.")
                state.reader = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
