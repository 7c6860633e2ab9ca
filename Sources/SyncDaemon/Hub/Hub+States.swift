// What channels' actions come to: from commits to followers, and from readers to those for whom
// no commit comes.
//
// A state is compared with what a device has, so it must be of exactly the device's position. That
// is so when the channel has no event after that position, here or on its way, and this reactor
// has heard of every commit that the state is of.

import EventModel

extension Hub {
    /// Puts the states after a commit beside its last event of each channel.
    func attach(_ digests: [Channel: Digest]) {
        for (channel, digest) in digests {
            guard let topic = topics.existing(channel),
                let last = topic.pending.lastIndex(where: \.isStored)
            else { continue }
            topic.pending[last].state = digest
        }
    }

    /// What the channel's actions come to for a device that is at `cursor`; `nil` when this reactor
    /// does not know, or the device has something to catch up on.
    func state(of channel: Channel, at cursor: Timetoken) -> Digest? {
        guard let topic = topics.existing(channel), cursor <= durablePosition,
            topic.recent.hasNoneStored(after: cursor), !topic.hasStoredPending,
            let known = topic.state.known, known.at <= durablePosition
        else { return nil }
        return known.digest
    }

    /// Sends a subscription that is up to date the state, as soon as it is known.
    ///
    /// It is not when this reactor is behind the reader that found it, or behind the one that
    /// served the device before.
    func tellState(_ subscription: Subscription) {
        let topic = subscription.topic
        if let digest = state(of: topic.channel, at: subscription.position) {
            let cursor = max(durablePosition, subscription.position)
            return queue(
                frame(of: [], in: topic.channel, cursor: cursor, state: digest),
                for: subscription, through: subscription.position)
        }
        topic.state.waiting.append(subscription)
        if topic.state.known == nil { askForState(of: topic) } else { listToTell(topic) }
    }

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

    /// Asks again for what the readers had no room for; called about once a second.
    func askForStates() {
        let topics = topicsToAskFor
        topicsToAskFor = []
        for topic in topics where !topic.state.waiting.isEmpty { askForState(of: topic) }
    }

    /// Hears that a channel's state could not be read.
    func failedToLearn(of channel: Channel) {
        guard let topic = topics.existing(channel) else { return }
        topic.state.isAskedFor = false
        topicsToAskFor.append(topic)
    }

    /// Tells those who wait and for whom a state is known; the others go on waiting.
    func tellStates() {
        let topics = topicsToTell
        topicsToTell = []
        for topic in topics {
            topic.state.isListedToTell = false
            let waiting = topic.state.waiting
            topic.state.waiting = []
            for subscription in waiting { tell(subscription) }
        }
    }

    /// One question for all who follow the topic.
    private func askForState(of topic: Topic) {
        guard !topic.state.isAskedFor else { return }
        let request = ReadRequest(
            asker: .state(reactor: engine.reactor), channel: topic.channel, query: .state)
        if engine.ask(request) {
            topic.state.isAskedFor = true
        } else {
            topicsToAskFor.append(topic)
        }
    }

    private func listToTell(_ topic: Topic) {
        guard !topic.state.waiting.isEmpty, !topic.state.isListedToTell else { return }
        topic.state.isListedToTell = true
        topicsToTell.append(topic)
    }

    private func tell(_ subscription: Subscription) {
        let topic = subscription.topic
        // Who is behind gets the state with the last page.
        guard subscription.state == .live,
            topic.recent.hasNoneStored(after: subscription.position), !topic.hasStoredPending
        else { return }
        tellState(subscription)
    }
}
