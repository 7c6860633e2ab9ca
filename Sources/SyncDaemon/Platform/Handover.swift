// Gives a thread-confined object to another thread, once.

import Basis

/// Carries an object that is not `Sendable` into the thread that will own it.
///
/// `@unchecked`: `init` takes the value as `sending`, so nobody else has it, and `take` gives it
/// out once.
final class Handover<Value>: @unchecked Sendable {
    private let value: Locked<Box?>

    /// `@unchecked`: reachable only through the lock around it, and taken out once.
    private struct Box: @unchecked Sendable {
        let value: Value
    }

    init(_ value: sending Value) {
        self.value = Locked(Box(value: value))
    }

    /// - Precondition: The first call.
    func take() -> Value {
        guard let box = value.withLock({ $0.take() }) else {
            preconditionFailure("A handover was taken twice.")
        }
        return box.value
    }
}
