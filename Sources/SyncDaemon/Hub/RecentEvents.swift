// The newest events of a followed channel, so that catching up seldom asks the store.

import EventModel

/// A run of a channel's events without a gap, from a floor to now.
struct RecentEvents {
    private var events: [EncodedEnvelope] = []
    private var head = 0
    /// What they take in memory.
    private(set) var byteCount = 0
    /// Every event of the channel after this is here, but for those that are not stored and older
    /// than ``wholeFloor``.
    private(set) var floor: Timetoken
    /// Every event after this is here, stored or not.
    private(set) var wholeFloor: Timetoken

    /// - Parameter floor: The newest commit that the reactor has seen: all later events will be
    ///   added.
    init(floor: Timetoken) {
        self.floor = floor
        wholeFloor = floor
    }

    /// Adds the next event and gives up the oldest while there are more than `bytesMax`.
    ///
    /// One at or before ``floor`` was on its way when the channel was followed before; others from
    /// between may not be, so that it is no beginning of a run.
    mutating func append(_ event: EncodedEnvelope, bytesMax: Int) {
        guard event.timetoken > floor else { return }
        events.append(event)
        byteCount += event.bytesInMemory
        while byteCount > bytesMax, head < events.count {
            byteCount -= events[head].bytesInMemory
            events[head].discardText()  // The array is compacted later.
            floor = events[head].timetoken
            wholeFloor = max(wholeFloor, floor)
            head += 1
        }
        if head > 64, head * 2 > events.count {
            // A new one: the old would keep its places.
            events = Array(events[head...])
            head = 0
        }
    }

    /// Forgets what there is.
    mutating func forget() {
        guard let last = events.last, head < events.count else { return }
        self = RecentEvents(floor: last.timetoken)
    }

    /// Takes what a reader found, so that it is read once for all who come back.
    ///
    /// What a reader finds is summed up as of a commit: where an action changed twice, the earlier
    /// event is missing. Whoever gets everything after a position has the same in the end, provided
    /// that the commit is in here.
    ///
    /// - Parameters:
    ///   - found: Everything stored after `start`, ascending; may reach beyond ``floor``.
    ///   - state: What the channel's rows come to after that.
    mutating func reach(
        back start: Timetoken, with found: [EncodedEnvelope], state: Digest, bytesMax: Int
    ) {
        guard start < floor else { return }
        var older = Array(found.prefix { $0.timetoken <= floor })
        let bytes = older.reduce(0) { $0 + $1.bytesInMemory }
        guard byteCount + bytes <= bytesMax else { return }
        events.removeFirst(head)
        head = 0
        // Otherwise a later one has its own, and nobody is told only the earlier ones.
        if !events.contains(where: \.isStored), let last = older.indices.last {
            older[last].state = state
        }
        events.insert(contentsOf: older, at: 0)
        byteCount += bytes
        floor = start
    }

    /// The newest event that is here; zero when there is none.
    var newest: Timetoken { events.count > head ? events[events.count - 1].timetoken : .zero }

    /// The events after `cursor`, ascending; `nil` when some of them may be gone from here.
    func events(after cursor: Timetoken) -> ArraySlice<EncodedEnvelope>? {
        guard cursor >= floor else { return nil }
        // From the newest backwards: whoever asks is nearly always close to the end.
        var start = events.count
        while start > head, events[start - 1].timetoken > cursor { start -= 1 }
        return events[start...]
    }

    /// The same with those that are not stored: what a reader found holds none of them.
    func wholeEvents(after cursor: Timetoken) -> ArraySlice<EncodedEnvelope>? {
        cursor >= wholeFloor ? events(after: cursor) : nil
    }

    /// Whether everything after `cursor` is here, and nothing of it is stored.
    func hasNoneStored(after cursor: Timetoken) -> Bool {
        events(after: cursor).map { !$0.contains(where: \.isStored) } ?? false
    }
}
