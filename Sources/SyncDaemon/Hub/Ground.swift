// What all parts of a hub stand on.

import EventModel

/// The engine of a reactor, the time of its turn, and how far it has heard.
final class Ground {
    let engine: any Engine
    let counters: Counters
    private(set) var settings: HubSettings
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private(set) var now: UInt64 = 0
    /// The newest event that this reactor has seen.
    private(set) var position: Timetoken
    /// The newest commit of the store that this reactor has seen: a cursor that survives a restart.
    private(set) var durablePosition: Timetoken

    init(engine: any Engine, settings: HubSettings, counters: Counters) {
        self.engine = engine
        self.settings = settings
        self.counters = counters
        position = engine.newest
        // Places may have been taken since the newest commit, which no reader will ever be at.
        durablePosition = min(position, engine.settled.durable)
    }

    /// Takes the time for this turn.
    func beginTurn(at milliseconds: UInt64) { now = milliseconds }

    /// Hears that everything up to these positions has been accepted.
    ///
    /// - Parameter durable: A cursor that survives a restart; at or before `visible`.
    func settle(visible: Timetoken, durable: Timetoken) {
        position = max(position, visible)
        durablePosition = max(durablePosition, durable)
    }

    func apply(
        sendQueueBytesMax: Int, window: @escaping (Channel) -> Int,
        rules: @escaping (Channel) -> ReactionRules
    ) {
        settings.sendQueueBytesMax = sendQueueBytesMax
        settings.window = window
        settings.rules = rules
    }

    func checkInvariants() {
        precondition(durablePosition <= position, "A commit is visible when it is durable.")
    }
}
