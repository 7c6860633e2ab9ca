// One long poll that waits for an answer, and what it is interested in.

import EventModel

/// What a poll asks for.
struct PollRequest {
    /// A channel or wildcard, with what the client called the subscription that it belongs to.
    struct Interest: Hashable, Sendable {
        let channel: Channel
        /// The wildcard as the client spelled it; `nil` for a channel named by itself.
        let subscription: String?
    }

    /// The connection.
    let session: SessionID
    /// The request on that connection.
    let command: CommandID
    /// In the client's order; an event that several match belongs to the first.
    var interests: [Interest]
    /// Each once, in the client's order; what an interest matches, too, belongs to that.
    ///
    /// A change of one of these groups ends the poll, so that the next sees the new members.
    let groups: [PolledGroup]
    /// Events after it are wanted.
    var cursor: Timetoken
    /// What it wants of the messages; `nil`: all.
    let filter: MessageFilter?
    /// Nothing after it is wanted: a group is another from there on; `nil`: it waits.
    var through: Timetoken?
    /// Channels that groups have now and had not then.
    var hidden: [PolledGroup: Set<Channel>] = [:]
    /// Whether the next one of its connection goes on where it ends: it is a stream's, which has
    /// the native protocol's words for events.
    ///
    /// Else an SDK of PubNub polls, which has others.
    var isOfStream = false
    /// Of events in its answer, but for one that is longer.
    var bytesMax = Limits.pollBytesMax
    /// Where its interests are counted.
    var account: Account?
}

/// An event for a poll, with what the client called the subscription that it came by.
struct PolledEvent: Sendable, Hashable {
    let envelope: EncodedEnvelope
    /// `nil` for a channel that the client named by itself.
    let subscription: String?
}

/// Events in order, and up to where nothing else can come.
struct PolledPage {
    var events: [PolledEvent]
    let through: Timetoken
}

/// Where the answers to polls go.
protocol PollReceiver: AnyObject {
    /// - Parameter cursor: Where the next poll goes on.
    func answer(_ poll: PollRequest, with events: [PolledEvent], cursor: Timetoken)
}

/// A poll that has not been answered.
final class LongPoll {
    /// Ends with the poll.
    let demand = Demand()
    enum State {
        /// Not all of its groups' channels are watched yet.
        case opening
        /// Nothing has happened after its position.
        case waiting
        /// Waits for a place among those that readers are asked for.
        case queued
        /// Waits for the readers to have room for its question.
        case starved
        /// Waits for a reader's answer.
        case reading
        /// Answered, or its connection is gone.
        case done
    }

    let request: PollRequest
    var interests: [PollInterest] = []
    var groups: [GroupPoll] = []
    /// Everything up to here was looked at; never below the request's cursor.
    var position: Timetoken
    var state = State.opening
    /// What a reader found and no filter has looked at yet, oldest first.
    var page: PolledPage?
    /// Questions that the readers had for it.
    var readCount = 0
    /// Listed to be served at the end of this turn.
    var isListed = false

    init(_ request: PollRequest) {
        self.request = request
        position = request.cursor
    }

    /// Checks a poll that waits.
    func checkInvariants(in topics: TopicTable) {
        precondition(state != .done, "What is answered is taken out.")
        precondition(position >= request.cursor, "No poll looks back.")
        precondition(
            position < request.through ?? .end, "What ends somewhere waits no longer.")
        for interest in interests {
            precondition(
                topics.existing(interest.topic.channel) === interest.topic,
                "What a poll waits for is not forgotten.")
            precondition(
                interest.topic.interests.elements[interest.place] === interest,
                "An interest is where it says.")
        }
        for interest in groups {
            precondition(
                interest.feed.polls.elements[interest.place] === interest,
                "A poll is where it says.")
        }
    }
}

/// A poll's interest in one topic.
final class PollInterest: Placed {
    unowned let poll: LongPoll
    let topic: Topic
    let subscription: String?
    /// In its topic's list.
    var place = 0

    init(of poll: LongPoll, in topic: Topic, subscription: String?) {
        self.poll = poll
        self.topic = topic
        self.subscription = subscription
    }
}
