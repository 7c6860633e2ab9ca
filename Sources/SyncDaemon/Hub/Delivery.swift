// Events in, frames out: once per turn, one frame per channel and lane, shared by all who get it.

import EventModel

/// What a turn brought, on its way to those who follow it.
final class Delivery {
    private var topicsWithNews: [Topic] = []
    private var windows = OpenWindows()
    private let ground: Ground
    private let topics: TopicTable
    private let polls: Polls
    private let live: LiveQueries
    private let outlet: Outlet
    private let summaries: Summaries

    init(
        ground: Ground, topics: TopicTable, polls: Polls, live: LiveQueries, outlet: Outlet,
        summaries: Summaries
    ) {
        self.summaries = summaries
        self.ground = ground
        self.topics = topics
        self.polls = polls
        self.live = live
        self.outlet = outlet
    }

    /// Whether events wait for the end of a turn.
    var hasNews: Bool { !topicsWithNews.isEmpty }

    /// When a window ends though nothing else happens, in milliseconds; `nil` when none is open.
    var nextDue: UInt64? { windows.nextDue }

    /// Takes a topic that gets its first event of this turn.
    func list(_ topic: Topic) { topicsWithNews.append(topic) }

    /// Sends what this turn brought, and what waited in windows that are over.
    func publish() {
        let due = windows.takeDue(at: ground.now)
        // Each session gets at most one frame then: nothing is gained by queueing it.
        let isAlone = topicsWithNews.count + due.count == 1
        for lane in due { deliver(lane.takePending(), to: lane, atOnce: isAlone) }
        for topic in topicsWithNews {
            let events = topic.takePending()
            topics.remember(events, in: topic)
            topic.noteState(after: events)
            summaries.note(events, in: topic)
            polls.heard(in: topic)
            if !topic.liveQueries.isEmpty { live.heard(events, in: topic) }
            let pushed = events.pushed
            for lane in topic.lanes where !pushed.isEmpty {
                if lane.pace.milliseconds == 0 {
                    deliver(pushed, to: lane, atOnce: isAlone)
                } else {
                    lane.pending += pushed
                    if !lane.isWaiting { windows.open(lane, at: ground.now) }
                }
            }
        }
        topicsWithNews.removeAll(keepingCapacity: true)
    }

    private func deliver(_ events: [EncodedEnvelope], to lane: Lane, atOnce: Bool) {
        var rest = events[...]
        // A lane that lost everybody, while its window was open or to the batch before, may have
        // lost its topic, too.
        while let first = rest.first?.timetoken, !lane.subscriptions.isEmpty {
            let batch = rest.prefix(fitting(in: rest))
            rest = rest.dropFirst(batch.count)
            guard let end = batch.last else { return }
            lane.advance(to: end, durable: ground.durablePosition)
            let news = lane.pace.news(of: batch)
            let frame = outlet.frame(
                of: news, in: lane.topic.channel, cursor: lane.cursor,
                state: lane.pace.shown(batch.state))
            for subscription in lane.subscriptions.elements where subscription.state == .live {
                if subscription.position >= first {
                    // The net effect is not its: what it has may be what the rest takes away.
                    deliver(batch, to: subscription, of: lane, atOnce: atOnce)
                } else if news.isEmpty {
                    subscription.position = max(subscription.position, end.timetoken)
                } else {
                    outlet.queue(
                        frame, of: news.count, for: subscription, through: end.timetoken,
                        atOnce: atOnce)
                }
            }
        }
    }

    /// How many of `events` one frame carries: at least one, and about as many as a page.
    private func fitting(in events: ArraySlice<EncodedEnvelope>) -> Int {
        var bytes = 0
        let count = events.prefix { event in
            bytes += event.json.count
            return bytes <= Limits.catchUpBytesMax
        }.count
        return max(1, count)
    }

    /// Sends a batch to who has some of it: who subscribed from a cursor that another reactor had
    /// served, or caught up while the window was open.
    private func deliver(
        _ batch: ArraySlice<EncodedEnvelope>, to subscription: Subscription, of lane: Lane,
        atOnce: Bool
    ) {
        let missing = batch.drop { $0.timetoken <= subscription.position }
        guard let last = missing.last?.timetoken else { return }
        let events = lane.pace.rest(of: missing)
        guard !events.isEmpty else { return subscription.position = last }
        let frame = outlet.frame(
            of: events, in: lane.topic.channel, cursor: lane.cursor,
            state: lane.pace.shown(batch.state))
        outlet.queue(frame, of: events.count, for: subscription, through: last, atOnce: atOnce)
    }

    func checkInvariants() {
        precondition(topicsWithNews.isEmpty, "A turn sends all that it brought.")
    }
}

extension [EncodedEnvelope] {
    /// Those that sessions get.
    fileprivate var pushed: [EncodedEnvelope] {
        allSatisfy(\.isPushed) ? self : filter(\.isPushed)
    }
}
