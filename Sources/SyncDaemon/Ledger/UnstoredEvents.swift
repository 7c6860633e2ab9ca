// The newest events that no store keeps, for long polls that come a moment later or elsewhere.

import EventModel

/// A short memory of what was announced, over all channels.
///
/// A long poll sees events only while one is open: what happens between two polls, or before the
/// next one reaches another reactor, is found here. PubNub keeps such events for minutes too, and
/// drops the oldest silently.
struct UnstoredEvents: Sendable {
    /// Ascending, in runs: who looks through them holds the runs, and an append copies one at most.
    private var runs: [[Envelope]] = []
    private var byteCount = 0
    private let bytesMax: Int
    private let ticksMax: UInt64
    private let runLength: Int

    /// - Parameter runLength: Events that are forgotten together.
    init(
        bytesMax: Int = Limits.unstoredBytesMax, ticksMax: UInt64 = Limits.unstoredTicksKept,
        runLength: Int = 256
    ) {
        self.runLength = runLength
        self.bytesMax = bytesMax
        self.ticksMax = ticksMax
    }

    /// Adds the newest event; forgets the oldest runs while there is too much, or it is too old.
    ///
    /// - Complexity: O(1) amortised.
    mutating func append(_ event: Envelope) {
        if runs.last.map({ $0.count == runLength }) ?? true { runs.append([]) }
        runs[runs.count - 1].append(event)
        byteCount += event.bytesInMemory
        while let oldest = runs.first, runs.count > 1,
            byteCount > bytesMax || isOld(oldest, beside: event)
        {
            byteCount -= oldest.reduce(0) { $0 + $1.bytesInMemory }
            runs.removeFirst()
        }
    }

    /// The oldest of those after a position that somebody wants, ascending.
    ///
    /// - Complexity: O(events after the position): not for whoever holds a lock.
    func events(
        after cursor: Timetoken, limit: Int, where isWanted: (Channel) -> Bool
    ) -> [Envelope] {
        var found: [Envelope] = []
        for run in runs where run.last.map({ $0.timetoken > cursor }) ?? false {
            for event in run where event.timetoken > cursor && isWanted(event.channel) {
                found.append(event)
                if found.count == limit { return found }
            }
        }
        return found
    }

    private func isOld(_ run: [Envelope], beside newest: Envelope) -> Bool {
        run.last.map { $0.timetoken.rawValue + ticksMax < newest.timetoken.rawValue } ?? true
    }
}

extension Envelope {
    /// Bytes that it keeps in memory, roughly.
    fileprivate var bytesInMemory: Int {
        event.unstoredBytes + channel.name.utf8.count + uuid.utf8.count + 256
    }
}

extension Event {
    /// Bytes of what an event that is not stored says, roughly.
    var unstoredBytes: Int {
        switch self {
        case .message(let message), .signal(let message):
            return message.payload.utf8.count + (message.meta?.utf8.count ?? 0)
        case .presence(let notice):
            let users = notice.joined + notice.left + notice.timedOut
            return (notice.state?.utf8.count ?? 0) + users.reduce(0) { $0 + $1.utf8.count + 16 }
        case .actionAdded, .actionRemoved, .messagesDeleted: return 0
        }
    }
}
