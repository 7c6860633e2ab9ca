// Events in, frames out: once per turn, one frame per channel and lane, shared by all who get it.

import EventModel
import JSON

extension Hub {
    /// Takes the events of a step; they leave at the end of the turn.
    func accept(_ step: Commit) {
        for event in step.events {
            var encoded: EncodedEnvelope?
            topics.forEach(concernedBy: event.channel) { topic in
                // Once, however many topics it concerns, and not at all for none.
                let text = encoded ?? EncodedEnvelope(event)
                encoded = text
                if topic.pending.isEmpty { topicsWithNews.append(topic) }
                topic.pending.append(text)
            }
        }
        attach(step.digests)
        settle(visible: step.last, durable: step.durable ?? durablePosition)
    }

    /// Whether events wait for the end of a turn.
    var hasNews: Bool { !topicsWithNews.isEmpty }

    /// When a window ends though nothing else happens, in milliseconds; `nil` when none is open.
    var nextDue: UInt64? { windows.nextDue }

    /// Sends what this turn brought.
    func endTurn() {
        let due = windows.takeDue(at: now)
        writesAtOnce = topicsWithNews.count + due.count == 1
        for lane in due { deliverPending(of: lane) }
        for topic in topicsWithNews { publish(topic) }
        topicsWithNews.removeAll(keepingCapacity: true)
        writesAtOnce = false
        // After every topic has its news: a poll's cursor stands for all its channels.
        servePolls()
        tellStates()
        // Flushing may list sessions again, for what they catch up on.
        while let session = sessionsToFlush.popLast() {
            session.isListedForFlush = false
            flush(session)
        }
        count()
    }

    private func publish(_ topic: Topic) {
        let events = topic.takePending()
        topics.remember(events, in: topic)
        topic.noteState(after: events)
        for interest in topic.interests.elements { listToServe(interest.poll) }
        for lane in topic.lanes {
            if lane.pace.milliseconds == 0 {
                deliver(events[...], to: lane)
            } else {
                lane.pending += events
                if !lane.isWaiting { windows.open(lane, at: now) }
            }
        }
    }

    private func deliverPending(of lane: Lane) {
        let events = lane.pending
        lane.pending = []
        deliver(events[...], to: lane)
    }

    private func deliver(_ events: ArraySlice<EncodedEnvelope>, to lane: Lane) {
        var rest = events
        // A lane that lost everybody, while its window was open or to the batch before, may have
        // lost its topic, too.
        while !rest.isEmpty, !lane.subscriptions.isEmpty {
            let batch = rest.prefix(fitting(in: rest))
            rest = rest.dropFirst(batch.count)
            deliver(batch: batch, to: lane)
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

    private func deliver(batch: ArraySlice<EncodedEnvelope>, to lane: Lane) {
        guard let first = batch.first?.timetoken, let end = batch.last else { return }
        let last = end.timetoken
        // A restarted daemon knows nothing of what is not stored: the cursor stays before it, but
        // at the newest commit. Who began to follow at that must not be set back.
        let before = Timetoken(rawValue: last.rawValue - 1)
        let stored = end.isStored ? last : min(durablePosition, before)
        lane.storedPosition = max(lane.storedPosition, stored)
        let events = lane.pace.coalesces ? netEffect(of: batch) : batch
        let frame = frame(
            of: events, in: lane.topic.channel, cursor: lane.storedPosition, state: batch.state)
        for subscription in lane.subscriptions.elements where subscription.state == .live {
            if subscription.position >= first {
                // The net effect is not its: what it has may be what the rest takes away.
                deliver(batch, to: subscription, of: lane)
            } else if events.isEmpty {
                subscription.position = max(subscription.position, last)
            } else {
                queue(frame, for: subscription, through: last)
                tally.deliveries += events.count
            }
        }
    }

    /// Sends a batch to who has some of it: who subscribed from a cursor that another reactor had
    /// served, or caught up while the window was open.
    private func deliver(
        _ batch: ArraySlice<EncodedEnvelope>, to subscription: Subscription, of lane: Lane
    ) {
        let missing = batch.drop { $0.timetoken <= subscription.position }
        let events = lane.pace.coalesces ? summed(Array(missing))[...] : missing
        guard let last = events.last else { return }
        queue(
            frame(
                of: events, in: lane.topic.channel, cursor: lane.storedPosition,
                state: batch.state),
            for: subscription, through: last.timetoken)
        tally.deliveries += events.count
    }

    func frame(
        of events: ArraySlice<EncodedEnvelope>, in channel: Channel, cursor: Timetoken,
        state: Digest?
    ) -> Frame {
        json.removeAll()
        json.push(events, of: channel, cursor: cursor, state: state)
        return Frame(text: json.bytes)
    }

    /// Adds what was done to the counters.
    private func count() {
        if tally.frames > 0 {
            counters.framesWritten.add(tally.frames)
            counters.bytesWritten.add(tally.bytes)
        }
        if tally.deliveries > 0 { counters.deliveries.add(tally.deliveries) }
        tally = Tally()
    }
}
