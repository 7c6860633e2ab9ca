// A page of a channel's changes, as a reader hands it to a reactor.

import EventModel

/// Changes that were encoded where they were read, so that no reactor has to.
struct EncodedPage: Sendable, Hashable {
    /// Ascending.
    var events: [EncodedEnvelope]
    /// The store has nothing else up to here.
    var cursor: Timetoken
    /// Nothing else can come up to here; at or after `cursor`.
    var through: Timetoken
    /// What the channel's rows come to at `cursor`; only with the last page.
    var state: Digest?
    /// The newest commit that the reader saw.
    var asOf: Timetoken
    /// Of which part of the channel it is.
    var window: BatchWindow?
}
