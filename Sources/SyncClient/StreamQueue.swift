// What stands between the client and one reader of its events: bounded, never silently lossy.

import Basis

/// The elements that one stream has not handed out yet.
final class StreamQueue<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var waiting = Queue<Element>()
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
    }

    private let state = Locked(State())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The queue as a sequence for one reader, who keeps the queue alive.
    var stream: AsyncStream<Element> {
        AsyncStream {
            await self.next()
        } onCancel: {
            self.finish()
        }
    }

    /// Adds an element; when the reader is far behind, `replacement` stands for all that waited,
    /// this one included.
    func append(_ element: Element, orInstead replacement: () -> [Element]) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if state.waiting.count >= capacity {
                state.waiting.removeAll()
                for element in replacement() { state.waiting.append(element) }
            } else {
                state.waiting.append(element)
            }
            return nil
        }
        reader?.resume(returning: element)
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

    private func next() async -> Element? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Element?, Never>) in
            let known: Element?? = state.withLock { state in
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
