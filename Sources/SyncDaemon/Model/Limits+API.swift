// The bounds of the HTTP API.

import EventModel

extension Limits {
    /// Seconds after which a stream of events says that it goes on; proxies often give up after 60.
    static let streamSilenceSeconds = 20
    /// Channels, wildcards and groups of one stream; over it: `too_many_channels`.
    static let streamedChannelsMax = 100
    /// Characters of an `Idempotency-Key`: the commands of a batch have a number behind it; over
    /// it: `invalid_field`.
    static let idempotencyKeyBytesMax = 60
    /// Bytes of a request's first line that are kept of one that is too long: enough to know its
    /// dialect.
    static let rememberedTargetBytes = 40
    /// Commands in one batch of the HTTP API; over it: `invalid_field`.
    static let batchCommandsMax = 100
}
