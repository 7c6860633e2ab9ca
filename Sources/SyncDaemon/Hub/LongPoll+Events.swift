// Which events are a poll's, and by which of its subscriptions each came.

import EventModel

extension LongPoll {
    /// What it is interested in, for a reader: lists of which those of groups are shared.
    var channels: [[Channel]] {
        ([request.interests.map(\.channel)] + groups.map(\.feed.channels)).filter { !$0.isEmpty }
    }

    private func wants(_ event: EncodedEnvelope) -> Bool {
        request.isOfStream ? event.isPushed : event.isPolled
    }

    /// What memory holds for it; `nil` when some of it may be gone from there.
    var remembered: [PolledEvent]? {
        var found: [PolledEvent] = []
        var sources = 0
        func take(_ events: ArraySlice<EncodedEnvelope>, _ subscription: String?) {
            if !events.isEmpty { sources += 1 }
            for event in events where wants(event) {
                found.append(PolledEvent(envelope: event, subscription: subscription))
            }
        }
        for interest in interests {
            guard let events = interest.topic.recent.wholeEvents(after: position) else {
                return nil
            }
            take(events, interest.subscription)
        }
        for feed in groups.map(\.feed) {
            guard position >= feed.floor else { return nil }
            let hidden = request.hidden[feed.name] ?? []
            feed.forEachTopic(withNewsAfter: position) { topic in
                guard !hidden.contains(topic.channel) else { return }
                take(topic.recent.wholeEvents(after: position) ?? [], feed.subscription)
            }
        }
        return sources > 1 ? merged(found) : found
    }

    /// Up to where it needs nothing more.
    ///
    /// One that only waits lacks what this turn brought and has not sent.
    ///
    /// - Parameters:
    ///   - now: The position of the reactor.
    ///   - unsent: The first of what is not sent of one of its feeds.
    func known(at now: Timetoken, lacking unsent: Timetoken?, of feed: GroupFeed) -> Timetoken {
        guard !request.isOfStream, state == .waiting, !isListed, page == nil else {
            return position
        }
        var lacked = interests.compactMap(\.topic.firstPending)
        lacked += groups.map(\.feed).filter { $0 !== feed }.compactMap(\.firstPending)
        if let unsent { lacked.append(unsent) }
        return max(position, lacked.min()?.predecessor ?? now)
    }

    /// What of a reader's page it gets: an event that several subscriptions match comes by the
    /// first.
    func matched(_ events: [ChannelEvent]) -> [PolledEvent] {
        let first = Dictionary(
            request.interests.enumerated().map { ($0.element.channel, $0.offset) },
            uniquingKeysWith: min)
        return events.compactMap { event -> PolledEvent? in
            guard wants(event.envelope) else { return nil }
            let places = ([event.channel] + event.channel.wildcards).compactMap { first[$0] }
            if let place = places.min() {
                return PolledEvent(
                    envelope: event.envelope, subscription: request.interests[place].subscription)
            }
            let group = groups.first {
                $0.feed.concerns(event.channel, but: request.hidden[$0.feed.name] ?? [])
            }
            return group.map {
                PolledEvent(envelope: event.envelope, subscription: $0.feed.subscription)
            }
        }
    }
}

/// Puts events of several topics in order, each once: an event that two interests cover keeps the
/// first.
private func merged(_ events: [PolledEvent]) -> [PolledEvent] {
    let order = events.indices.sorted {
        let (one, other) = (events[$0].envelope.timetoken, events[$1].envelope.timetoken)
        return one == other ? $0 < $1 : one < other
    }
    var merged: [PolledEvent] = []
    merged.reserveCapacity(events.count)
    for index in order
    where merged.last?.envelope.timetoken != events[index].envelope.timetoken {
        merged.append(events[index])
    }
    return merged
}
