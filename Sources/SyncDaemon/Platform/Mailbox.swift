// How one thread tells another something, without waiting.

import Basis

/// A bounded queue with many writers and one reader, which wakes the reader once per batch.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State: Sendable {
        var messages: [Message] = []
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let capacity: Int

    /// - Parameter capacity: Messages that may wait; the writer decides what to do when it is full.
    init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    /// Installs the reader's wake-up call.
    ///
    /// Pass `nil` before whatever it calls goes away.
    func setWake(_ wake: (@Sendable () -> Void)?) {
        state.withLock { $0.wake = wake }
    }

    /// Adds a message and wakes the reader if it may be asleep.
    ///
    /// Callable from any thread.
    ///
    /// - Returns: `false` when the mailbox is full; the message was not taken.
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard state.messages.count < capacity else { return false }
            state.messages.append(message)
            if state.messages.count == 1 { state.wake?() }
            return true
        }
    }

    /// Takes everything posted so far, and leaves `batch`'s old storage behind for the writers.
    func drain(into batch: inout [Message]) {
        batch.removeAll(keepingCapacity: true)
        state.withLock { swap(&$0.messages, &batch) }
    }

    /// Messages that wait now.
    var count: Int { state.withLock { $0.messages.count } }
}
