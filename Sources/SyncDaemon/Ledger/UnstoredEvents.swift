// The newest events that no store keeps, for long polls that come a moment later or elsewhere.

import EventModel

/// A short memory of what was announced, over all channels.
///
/// A long poll sees events only while one is open: what happens between two polls, or before the
/// next one reaches another reactor, is found here. PubNub keeps such events for minutes too, and
/// drops the oldest silently.
struct UnstoredEvents {
    private var events: [Envelope] = []
    private var head = 0
    private var byteCount = 0
    private let bytesMax: Int
    private let ticksMax: UInt64

    init(
        bytesMax: Int = Limits.unstoredBytesMax, ticksMax: UInt64 = Limits.unstoredTicksKept
    ) {
        self.bytesMax = bytesMax
        self.ticksMax = ticksMax
    }

    /// Adds the newest event; forgets the oldest while they are too many or too old.
    ///
    /// - Complexity: O(1) amortised.
    mutating func append(_ event: Envelope) {
        events.append(event)
        byteCount += event.bytesInMemory
        while head < events.count, byteCount > bytesMax || isOld(events[head], beside: event) {
            byteCount -= events[head].bytesInMemory
            head += 1
        }
        if head > 1024, head * 2 > events.count {
            events.removeFirst(head)
            head = 0
        }
    }

    /// Those after a position that somebody wants, ascending.
    ///
    /// - Complexity: O(events after the position).
    func events(after cursor: Timetoken, where isWanted: (Channel) -> Bool) -> [Envelope] {
        var start = events.count
        while start > head, events[start - 1].timetoken > cursor { start -= 1 }
        return events[start...].filter { isWanted($0.channel) }
    }

    private func isOld(_ event: Envelope, beside newest: Envelope) -> Bool {
        event.timetoken.rawValue + ticksMax < newest.timetoken.rawValue
    }
}

extension Envelope {
    /// Bytes that it keeps in memory, roughly.
    fileprivate var bytesInMemory: Int {
        let payload: Int
        switch event {
        case .message(let message), .signal(let message):
            payload = message.payload.utf8.count + (message.meta?.utf8.count ?? 0)
        case .presence(let notice):
            let users = notice.joined + notice.left + notice.timedOut
            payload =
                (notice.state?.utf8.count ?? 0) + users.reduce(0) { $0 + $1.utf8.count + 16 }
        case .actionAdded, .actionRemoved, .messagesDeleted: payload = 0
        }
        return payload + channel.name.utf8.count + uuid.utf8.count + 256
    }
}
