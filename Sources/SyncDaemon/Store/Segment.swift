// Parts of a channel: what stands on a few of its messages has a state of its own.

import EventModel

/// What stands on one stretch of a channel's message timetokens: the messages, and the actions on
/// any timetoken there, whether a message is at it or not.
///
/// A channel is cut into segments without a gap: each ends where the next one starts, and the
/// newest one has no end yet. Their digests add up to the channel's.
struct Segment: Hashable, Sendable {
    /// It is of the timetokens after this.
    let after: Timetoken
    var messageCount = 0
    /// Of messages and actions.
    var digest = Digest.empty
    /// The sum of their own timetokens, modulo 2^64: who lacks one of them knows which.
    var timetokens: UInt64 = 0

    mutating func insert(_ row: CoveredRow, _ hash: RowHash) {
        digest.insert(hash)
        timetokens &+= row.timetoken.rawValue
        if case .message = row { messageCount += 1 }
    }

    mutating func remove(_ row: CoveredRow, _ hash: RowHash) {
        digest.remove(hash)
        timetokens &-= row.timetoken.rawValue
        if case .message = row { messageCount -= 1 }
    }

    /// Takes in what another one is of.
    mutating func insert(_ part: Segment) {
        digest.insert(part.digest)
        timetokens &+= part.timetokens
        messageCount += part.messageCount
    }

    /// Takes out what another one, of the same timetokens, is of.
    mutating func remove(_ part: Segment) {
        digest.remove(part.digest)
        timetokens &-= part.timetokens
        messageCount -= part.messageCount
    }

    /// What a device is told of it.
    var state: StretchState { StretchState(digest, timetokens: timetokens) }
}

/// What a ledger's store keeps of segments.
///
/// It only keeps them: the ledger knows what becomes of their rows.
protocol SegmentStore {
    /// The segment of a message's timetoken, and where it ends: ``Timetoken/end`` for the newest.
    ///
    /// A channel of which nothing was kept is one empty segment.
    func segment(
        of message: Timetoken, in channel: Channel
    ) throws(StoreError) -> (segment: Segment, through: Timetoken)

    /// Puts a segment in the place of the one that starts where it does, or cuts one there.
    func setSegment(_ segment: Segment, of channel: Channel) throws(StoreError)

    /// Removes the segments that start at `start` or later, and before `end`.
    func removeSegments(
        from start: Timetoken, before end: Timetoken, of channel: Channel
    ) throws(StoreError)
}

extension Timetoken {
    /// The position just before: turns an inclusive bound into an exclusive one.
    var predecessor: Timetoken { Timetoken(rawValue: rawValue == 0 ? 0 : rawValue - 1) }
}
