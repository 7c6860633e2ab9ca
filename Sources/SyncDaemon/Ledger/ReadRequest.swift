// Questions about the committed state, and what readers answer.

import EventModel

/// One question about the committed state.
struct ReadRequest: Sendable {
    enum Query: Sendable {
        /// What changed; of a part of the channel with what the rest of it comes to.
        case changes(from: ChangeStart, window: Timetoken?)
        /// The channel's digest, and as of when.
        case state
        /// How a device differs whose symbols these are.
        case repair(RepairQuery)
        /// What a long poll missed, in channels and wildcards.
        ///
        /// Lists, because those of groups are shared by all who ask. The first has a channel.
        ///
        /// - `bringsDeletions`: with what went all at once, for which PubNub's SDKs have no words.
        /// - `bytesMax`: of events, but for one that is longer.
        case backlog(
            [[Channel]], after: Timetoken, bringsDeletions: Bool = false,
            bytesMax: Int = Limits.pollBytesMax)
        /// Which channels under a wildcard have something after a position.
        case channels(under: Channel, changedAfter: Timetoken)
        case history(HistoryQuery)
        case older(OlderQuery)
        case actions(ActionsQuery)
        /// The groups of some messages' actions.
        case summaries(SummariesQuery)
        /// A page of a session's live query.
        case liveActions(ActionsQuery, LiveID)
        /// Of several channels of the request's keyset; the request's own channel plays no part.
        case histories([HistoryQuery])
        /// As above.
        case messageCounts([CountQuery])
        /// What a user has not read of some channels; as above.
        case unread([String], user: String)
        /// Entries of the directory that the request's channel is.
        case directory(EntryScan)
        /// Of which channels a device hears by push; as for several channels.
        ///
        /// - `registeredBy`: only of these that are a user's, or nobody's.
        case pushChannels(PushDevice, registeredBy: String?)
        /// Files of the request's channel.
        case files(after: Timetoken, limit: Int)
        /// One of them; none where the id is of another channel's.
        case file(FileID)
    }

    let asker: Asker
    let channel: Channel
    let query: Query
    /// Who waits for the answer; `nil`: somebody does in any case.
    var demand: Demand?
    /// When it was put in line, in microseconds on a clock that never steps back: the pool sets it.
    var asked: UInt64 = 0
}

extension ReadRequest.Query {
    /// As operators see it.
    var kind: ReadKind {
        switch self {
        case .changes, .state: .catchUp
        case .repair: .repair
        case .older: .window
        case .backlog, .channels: .poll
        case .history, .histories, .actions, .liveActions: .history
        case .summaries: .summary
        case .messageCounts, .unread, .directory, .pushChannels, .files, .file: .other
        }
    }
}

/// A page of actions, and the newest commit that its reader saw.
struct DatedPage: Sendable {
    let page: ActionsPage
    let asOf: Timetoken
}

/// What became of a page of a live query.
struct LiveAnswer: Sendable {
    let id: LiveID
    let page: Result<DatedPage, ProtocolError>
}

/// How many messages came into a channel after a position.
struct CountQuery: Hashable, Sendable {
    var channel: String
    /// Exclusive.
    var after: Timetoken
}

/// An event with its channel, for those who asked about several.
struct ChannelEvent: Sendable {
    let channel: Channel
    let envelope: EncodedEnvelope
}

/// What a reader found.
struct ReadAnswer: Sendable {
    enum Result: Sendable {
        case reply(Swift.Result<Reply, ProtocolError>)
        /// A reply that is large.
        case encoded(EncodedReply)
        /// A page of a live query, and the commit that it is of.
        case live(LiveAnswer)
        case changes(EncodedPage)
        case state(Digest, at: Timetoken)
        case repair(RepairOutcome)
        /// What a poll missed; nothing else can come up to `through`.
        case backlog([ChannelEvent], through: Timetoken)
        /// What a wildcard has; `nil`: more than a session may follow.
        case channels([Channel]?)
        /// What was deleted after the start is forgotten: the client has to come again.
        case tooOld
        /// The changes or the state could not be read.
        case failed(StoreError)
    }

    let asker: Asker
    let channel: Channel
    var result: Result
    /// Why there is no other answer, when the store failed.
    var failure: StoreError?
}

/// Where the readers' answers go.
protocol ReadReceiver: Sendable {
    /// Called on a reader's thread.
    func deliver(_ answer: ReadAnswer)
}

extension ReadRequest {
    /// Whose it is, and in which lane it waits.
    var ticket: ReaderTicket {
        ReaderTicket(lane: lane, tenant: ExactText(channel.keyset), source: source)
    }

    private var lane: ReaderLane {
        switch query {
        case .changes, .state: .catchUp
        case .history, .older, .actions, .liveActions, .histories, .messageCounts, .unread,
            .directory, .pushChannels, .files, .file:
            .history
        // May read a message with a million rows.
        case .summaries, .repair: .repair
        case .channels: .backlog
        case .backlog(let lists, _, _, _):
            lists.reduce(0) { $0 + $1.count } > Limits.catchUpChannelsMax
                || lists.contains { $0.contains(where: \.isWildcard) }
                ? .backlog : .catchUp
        }
    }

    private var source: ReaderTicket.Source {
        switch asker {
        case .client(let origin), .poll(let origin):
            .session(origin.session, reactor: origin.reactor)
        case .page, .selection: .pages(of: channel)
        case .state(let reactor): .states(reactor: reactor)
        case .summaries: .pages(of: channel)
        }
    }
}
