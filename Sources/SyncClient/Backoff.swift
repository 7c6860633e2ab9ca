// When to come back after a connection ended: pure, so that a test can walk it.

/// Exponential back-off with full jitter.
///
/// The n-th delay is a random part of `min(cap, base * 2^n)`: clients that lost their daemon at
/// the same moment come back spread out.
///
/// - Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
public struct Backoff: Hashable, Sendable {
    public var base: Duration
    public var cap: Duration
    /// Attempts since the last good session.
    public private(set) var attempts = 0

    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// - Parameter random: From 0 to 1.
    public mutating func nextDelay(random: Double) -> Duration {
        var ceiling = min(base, cap)
        for _ in 0..<attempts where ceiling < cap { ceiling = min(ceiling * 2, cap) }
        attempts += 1
        return ceiling * random
    }

    /// A session was a good one: the next delay starts at the base.
    public mutating func reset() {
        attempts = 0
    }
}

/// What the end of a connection means for the next one.
enum Comeback: Hashable, Sendable {
    /// After a delay of ``Backoff``.
    case backoff
    /// After a random part of a second: the daemon is about to start again.
    case soon
    /// The same bytes would end the next connection too.
    case never

    /// Source: the close codes of docs/PROTOCOL.md.
    init(after closure: WebSocketClosure) {
        switch closure.code {
        case 1001: self = .soon
        case 1003, 1007, 1008, 1009: self = .never
        case .some(3500...3999): self = .never
        default: self = .backoff
        }
    }
}
