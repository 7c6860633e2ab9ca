// What channels' rows come to: from commits to followers, and from readers to those for whom
// no commit comes.
//
// A state is compared with what a device has, so it must be of exactly the device's position. That
// is so when the channel has no event after that position, here or on its way, and this reactor
// has heard of every commit that the state is of.

import EventModel

/// Which topics' states are told and asked for.
final class States {
    /// Topics whose state is known, with subscriptions that still have to be told of it.
    private var toTell: [Topic] = []
    /// Topics whose state the readers had no room to be asked for.
    private var toAskFor: [Topic] = []
    private let ground: Ground
    private let topics: TopicTable
    private let outlet: Outlet

    init(ground: Ground, topics: TopicTable, outlet: Outlet) {
        self.ground = ground
        self.topics = topics
        self.outlet = outlet
    }

    /// Puts the states after a commit beside its last event of each channel.
    func attach(_ digests: [Channel: Digest]) {
        for (channel, digest) in digests {
            guard let topic = topics.existing(channel),
                let last = topic.pending.lastIndex(where: \.isStored)
            else { continue }
            topic.pending[last].state = digest
        }
    }

    /// What the channel's rows come to for a device that is at `cursor`; `nil` when this reactor
    /// does not know, or the device has something to catch up on.
    func state(of channel: Channel, at cursor: Timetoken) -> Digest? {
        let durable = ground.durablePosition
        guard let topic = topics.existing(channel), cursor <= durable,
            topic.recent.hasNoneStored(after: cursor), !topic.hasStoredPending,
            let known = topic.state.known, known.at <= durable
        else { return nil }
        return known.digest
    }

    /// Sends a subscription that is up to date the state, as soon as it is known.
    ///
    /// It is not when this reactor is behind the reader that found it, or behind the one that
    /// served the device before.
    func tell(_ subscription: Subscription) {
        guard !subscription.session.isClosing, !subscription.hidesActions else { return }
        let topic = subscription.topic
        // What waits in its window is from before the state's cursor: it goes first.
        let isLast = subscription.lane?.pending.isEmpty ?? true
        if isLast, let digest = state(of: topic.channel, at: subscription.position) {
            let cursor = max(ground.durablePosition, subscription.position)
            let frame = outlet.frame(of: [], in: topic.channel, cursor: cursor, state: digest)
            return outlet.queue(
                frame, of: 0, for: subscription, through: subscription.position)
        }
        topic.state.waiting.append(subscription)
        if topic.state.known == nil { ask(for: topic) } else { listToTell(topic) }
    }

    /// Sends the state to a device that turned out to be up to date without having heard it.
    ///
    /// Its last page may have been full, so that the reader could not know that it was the last.
    func tellIfMissing(_ subscription: Subscription) {
        guard subscription.lacksState else { return }
        subscription.lacksState = false
        tell(subscription)
    }

    /// Tells those who wait and for whom a state is known; the others go on waiting.
    func endTurn() {
        let topics = toTell
        toTell = []
        for topic in topics {
            topic.state.isListedToTell = false
            let waiting = topic.state.waiting
            topic.state.waiting = []
            // Who is behind gets the state with the last page.
            for subscription in waiting
            where subscription.state == .live && !topic.hasStoredPending
                && topic.recent.hasNoneStored(after: subscription.position)
            {
                tell(subscription)
            }
        }
    }

    private func listToTell(_ topic: Topic) {
        guard !topic.state.waiting.isEmpty, !topic.state.isListedToTell else { return }
        topic.state.isListedToTell = true
        toTell.append(topic)
    }

    // MARK: Asking

    /// Takes what a reader found.
    ///
    /// - Parameter position: The commit that it is of, which may be news here.
    func learn(_ digest: Digest, at position: Timetoken, of channel: Channel) {
        // An answer that was asked for when the channel was followed before may be older than what
        // happened while it was not.
        guard let topic = topics.existing(channel), position >= topic.durableStart else { return }
        topic.state.isAskedFor = false
        // Otherwise what is on its way brings a newer one.
        if !topic.hasStoredPending, topic.state.known.map({ $0.at < position }) ?? true {
            topic.state.known = (digest, position)
        }
        listToTell(topic)
    }

    /// Hears that a channel's state could not be read.
    func failedToLearn(of channel: Channel) {
        guard let topic = topics.existing(channel) else { return }
        topic.state.isAskedFor = false
        toAskFor.append(topic)
    }

    /// Asks again for what the readers had no room for; called about once a second.
    func askAgain() {
        let topics = toAskFor
        toAskFor = []
        for topic in topics where !topic.state.waiting.isEmpty { ask(for: topic) }
    }

    /// One question for all who follow the topic.
    private func ask(for topic: Topic) {
        guard !topic.state.isAskedFor else { return }
        let request = ReadRequest(
            asker: .state(reactor: ground.engine.reactor), channel: topic.channel, query: .state)
        if ground.engine.ask(request) {
            topic.state.isAskedFor = true
        } else {
            toAskFor.append(topic)
        }
    }

    func checkInvariants() {
        for topic in toTell {
            precondition(topic.state.isListedToTell, "A topic to tell of knows that it is listed.")
        }
    }
}
