// The bounds of what clients, SDKs and requests may say.

import EventModel

extension Limits {
    // MARK: What a client may send

    /// WebSocket fragments of one message; over it: close code 1008.
    static let fragmentsPerMessageMax = 128
    /// UTF-8 bytes of a user or device id; over it: `invalid_field`.
    static let identifierBytesMax = 255
    /// UTF-8 bytes of a filter expression; over it: HTTP 481.
    static let filterBytesMax = 4096
    /// Levels of parentheses and signs in a filter expression; over it: HTTP 481.
    static let filterDepthMax = 32
    /// Steps of about ten nanoseconds that a filter takes for one message; over it: the message is
    /// sent.
    static let filterStepsMax = 50_000
    /// Such steps of all filters in one turn of a reactor; over it: the next turn.
    static let filterStepsPerTurnMax = 500_000
    /// Filters' verdicts that a reactor remembers; over it: they are forgotten.
    static let filterVerdictsMax = 10_000
    /// Bytes of messages that a reactor keeps as its filters read them; as above.
    static let filteredBytesMax = 1024 * 1024
    /// Milliseconds that events may wait for more, as a subscriber or an administrator wishes; over
    /// it: `invalid_field`.
    static let batchWindowMax = 1000
    /// Channels in one command; over it: `too_many_channels`.
    static let channelsPerCommandMax = 1000
    /// Actions that come with one message in `history`; the rest is read with `actions`.
    static let actionsPerHistoryMessageMax = 1000
    /// Channels in one group; over it: `too_many_channels`.
    static let channelsPerGroupMax = 2000
    /// Groups that one list names; over it: status 400.
    static let groupsListedMax = 10_000
    /// Groups of one keyset; over it: `quota_exceeded`.
    static let groupsPerKeysetMax = 1_000_000
    /// Channels in all groups of one keyset, and of all keysets; over it: `too_many_channels`.
    static let groupedChannelsPerKeysetMax = 1_000_000
    static let groupedChannelsMax = 2_000_000
    /// Dots of a channel's name at which a wildcard may stand.
    static let wildcardLevelsMax = 2
    /// Types, values or users of which an action has to have one to be wanted; over it:
    /// `invalid_field`.
    static let actionFilterMax = 100

    // MARK: What a PubNub SDK may send

    /// Channels and groups in one request; over it: status 400.
    static let channelsPerRequestMax = 2000
    /// Channels that one call puts into a group or takes out of it; over it: status 400.
    static let channelsPerGroupChangeMax = 200
    /// Channels whose messages one call counts; over it: status 400.
    static let countedChannelsMax = 100
    /// Messages or actions in one answer; a larger number is taken for this.
    static let pubNubPageMax = 100
    /// Messages per channel in an answer with several channels, or with actions; as above.
    static let pubNubSmallPageMax = 25
    /// Hours that a message can ask to be kept, 100 years; more is taken for this.
    static let hoursKeptMax = 876_000
    /// Seconds after which a client that was refused for now may try again.
    static let retryAfterSeconds = 1

    // MARK: HTTP

    /// Connections at `admin_listen`, and as many at `admin_socket`; over it: a new one is closed
    /// at once.
    static let adminConnectionsMax = 64
    /// Bytes of a request's line and headers; over it: 414 or 431, and the connection is closed.
    ///
    /// Also bytes that may come while a request waits for its response; over it: the same, unsaid.
    static let requestHeaderBytesMax = 40 * 1024
    /// Bytes of a request's body; over it: 413, and the connection is closed.
    static let requestBodyBytesMax = 64 * 1024
}
