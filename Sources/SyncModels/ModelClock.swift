// The clocks of the models, which tests replace.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a model asks for the time, and waits with.
public struct ModelClock: Sendable {
    /// Since some moment in the past; never goes back.
    public var now: @Sendable () -> Duration
    /// For messages that have no time of the daemon's yet.
    public var date: @Sendable () -> Date
    /// Waits so long; throws when its task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        now: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.date = date
        self.sleep = sleep
    }

    /// The machine's.
    public static let system: ModelClock = {
        let start = ContinuousClock.now
        return ModelClock(
            now: { ContinuousClock.now - start }, date: { Date() },
            sleep: { try await Task.sleep(for: $0) })
    }()
}
