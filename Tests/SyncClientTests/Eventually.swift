// Waiting for something to become true, with a deadline instead of a guess.

/// A condition that did not come true in time.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Looks again and again until there is a value, for at most `seconds`.
func eventually<Value>(
    _ what: String, within seconds: Int = 20, _ look: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if let value = try await look() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHappened(description: "It never happened that \(what).")
}

/// Looks again and again until something is true.
func eventually(
    _ what: String, within seconds: Int = 20, _ isTrue: () async throws -> Bool
) async throws {
    let _: Void = try await eventually(what, within: seconds) { try await isTrue() ? () : nil }
}
