// What a channel's rows come to, as far as a reactor knows.

import EventModel

/// The newest known state of a followed channel, and who waits to be told.
///
/// Commits bring it, and readers where no commit has come since somebody follows.
struct TopicState {
    /// The digest as of a commit; the channel had no later one that was sent to its followers.
    var known: (digest: Digest, at: Timetoken)?
    /// A reader was asked and has not answered.
    var isAskedFor = false
    /// In the hub's list of topics to tell of.
    var isListedToTell = false
    /// Subscriptions that are up to date and cannot know it yet.
    var waiting: [Subscription] = []
}

extension Topic {
    /// Whether events of the store are on their way to its followers.
    var hasStoredPending: Bool { pending.contains(where: \.isStored) }

    /// Takes the state from events that are about to be sent.
    func noteState(after events: [EncodedEnvelope]) {
        guard let last = events.last(where: \.isStored) else { return }
        state.known = last.state.map { ($0, last.timetoken) }
        // They get these events, and the state with them.
        state.waiting.removeAll { $0.position < last.timetoken }
    }
}
