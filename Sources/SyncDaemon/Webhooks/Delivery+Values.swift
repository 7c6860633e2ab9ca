// What goes out to a receiver, what comes back, and what is told of it.

import EventModel

/// A request to a receiver.
struct DeliveryRequest: Sendable, Hashable {
    let url: String
    let headers: [String]
    let body: [UInt8]
    let timeoutMilliseconds: Int
    /// Bytes of an answer that are wanted; `nil`: none is looked at, however long it is.
    var answerBytesMax: Int?
}

/// What became of it.
enum DeliveryOutcome: Sendable, Hashable {
    /// - Parameters:
    ///   - retryAfter: Seconds until the receiver wants to be asked again.
    ///   - body: Empty where none was wanted.
    case answered(status: Int, retryAfter: Int?, body: [UInt8] = [])
    /// There was no answer, or none in time.
    case failed(reason: String)
}

/// What one webhook has done since the start, and what it has to do.
struct WebhookFigures: Sendable, Hashable {
    var delivered = 0
    var requests = 0
    var failed = 0
    /// Events that it never hears of: the store was damaged where they would have waited.
    var missed = 0
    var uses = OutboxUses()
    /// The first of what was given up.
    var oldestDead: [DeadBatch] = []
    /// The first event that waits and is due.
    var oldest: Timetoken?
    /// Since when every attempt of a lane failed, in milliseconds of the monotonic clock.
    var failingSince: UInt64?
    /// Why the last attempt failed.
    var reason = ""
    /// Whether no webhook has this name any more, and there is still something for it.
    var isRemoved = false
}

/// What deliveries need of the world around them.
protocol DeliveryWorld {
    /// Everything that ever will be at or before this is in the store.
    func position() -> Timetoken
    /// The daemon's time in ticks, cheaper than that.
    func ticks() -> UInt64
    /// Begins a request; its outcome comes later, to ``Deliveries/finish(_:_:at:)``.
    func send(_ request: DeliveryRequest, for lane: LaneID)
    /// - Returns: `false` when it has to be said again later.
    func report(_ step: OutboxStep) -> Bool
}
