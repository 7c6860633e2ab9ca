// What stands between the client and one reader of its events: bounded, never silently lossy.

import Basis

/// The elements that one stream has not handed out yet.
package final class StreamQueue<Element: Sendable>: Sendable {
    private typealias Follower = CheckedContinuation<Void, Never>

    private struct State: Sendable {
        var waiting = Queue<Element>()
        var reader: CheckedContinuation<Element?, Never>?
        var isFinished = false
        /// How many came, those too that were replaced.
        var appended = 0
        /// How many of these the reader is done with.
        var taken = 0
        /// Who waits until the reader is done with so many.
        var followers: [(taken: Int, wake: Follower)] = []

        /// The reader comes for the next one: what it got before is dealt with.
        mutating func comesBack() -> [Follower] {
            taken = appended - waiting.count
            let done = followers.filter { $0.taken <= taken }
            followers.removeAll { $0.taken <= taken }
            return done.map(\.wake)
        }
    }

    private let state = Locked(State())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The queue as a sequence for one reader, who keeps the queue alive.
    package var stream: AsyncStream<Element> {
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
            state.appended += 1
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
        let (reader, followers) = state.withLock { state in
            state.isFinished = true
            defer { (state.reader, state.followers) = (nil, []) }
            return (state.reader, state.followers)
        }
        reader?.resume(returning: nil)
        for follower in followers { follower.wake.resume() }
    }

    /// Waits until the reader has come back after everything that was added before this call.
    ///
    /// Where the queue is finished nobody may read it any more: nothing is waited for.
    package func taken() async {
        await withCheckedContinuation { (wake: Follower) in
            let isTaken = state.withLock { state in
                if state.isFinished || state.taken == state.appended { return true }
                state.followers.append((state.appended, wake))
                return false
            }
            if isTaken { wake.resume() }
        }
    }

    private func next() async -> Element? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Element?, Never>) in
            let (known, followers): (Element??, [Follower]) = state.withLock { state in
                let followers = state.comesBack()
                if let event = state.waiting.popFirst() { return (.some(event), followers) }
                if state.isFinished { return (.some(nil), followers) }
                precondition(state.reader == nil, "Only one task at a time may read a stream.")
                state.reader = continuation
                return (nil, followers)
            }
            if let known { continuation.resume(returning: known) }
            for follower in followers { follower.resume() }
        }
    }
}
