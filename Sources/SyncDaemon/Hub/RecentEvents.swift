// The newest events of a followed channel, so that catching up seldom asks the store.

import EventModel

/// A run of a channel's events without a gap, from a floor to now.
struct RecentEvents {
    private var events: [EncodedEnvelope] = []
    private var head = 0
    private(set) var byteCount = 0
    /// Every event of the channel after this is here.
    private(set) var floor: Timetoken

    /// - Parameter floor: The newest commit that the reactor has seen: all later events will be
    ///   added.
    init(floor: Timetoken) {
        self.floor = floor
    }

    /// Adds the next event and gives up the oldest while there are more than `bytesMax`.
    ///
    /// One at or before ``floor`` was on its way when the channel was followed before; others from
    /// between may not be, so that it is no beginning of a run.
    mutating func append(_ event: EncodedEnvelope, bytesMax: Int) {
        guard event.timetoken > floor else { return }
        events.append(event)
        byteCount += event.json.count
        while byteCount > bytesMax, head < events.count {
            byteCount -= events[head].json.count
            events[head].discardText()  // The array is compacted later.
            floor = events[head].timetoken
            head += 1
        }
        if head > 64, head * 2 > events.count {
            events.removeFirst(head)
            head = 0
        }
    }

    /// The events after `cursor`, ascending; `nil` when some of them may be gone from here.
    func events(after cursor: Timetoken) -> ArraySlice<EncodedEnvelope>? {
        guard cursor >= floor else { return nil }
        // From the newest backwards: whoever asks is nearly always close to the end.
        var start = events.count
        while start > head, events[start - 1].timetoken > cursor { start -= 1 }
        return events[start...]
    }

    /// Whether everything after `cursor` is here, and nothing of it is stored.
    func hasNoneStored(after cursor: Timetoken) -> Bool {
        events(after: cursor).map { !$0.contains(where: \.isStored) } ?? false
    }
}
