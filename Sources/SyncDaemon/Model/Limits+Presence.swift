// The bounds of presence: who is where, for how long, and how many.

import EventModel

extension Limits {
    /// How long a user is in a channel after a heartbeat that does not say how long.
    static let presenceSecondsDefault = 300
    /// The shortest and the longest time in a channel that an owner may decide, in seconds.
    static let presenceSecondsMin = 5
    static let presenceSecondsMax = 24 * 3600
    /// The longest that a client may name, in seconds, unless the owner's default is longer.
    static let presenceSecondsAskedMax = 3600
    /// Users in channels, in all; over it: nobody new gets in, who is in stays in.
    static let presenceMembershipsMax = 2_000_000
    /// How many its tenant may still get for each that a connection has; over it: this connection
    /// gets nobody new in.
    static let presenceConnectionShare = 64
    /// Channels in which one user is at a time; over it: status 400, and the user gets in no
    /// further ones.
    static let presenceChannelsPerUserMax = 5000
    /// Users that time out, and presence events that go out, between two looks at what waits.
    static let presenceStepMax = 1000
    /// Users in one answer about several channels; over it: those of further channels are counted
    /// and not listed.
    static let presenceNamesPerAnswerMax = 10_000
    /// UTF-8 bytes of one user's state in one channel; over it: `invalid_field`, status 400.
    static let presenceStateBytesMax = 4 * 1024
    /// Bytes of all states; over it: those of absent users go, then new ones are not set.
    static let presenceAllStateBytesMax = 128 * 1024 * 1024
    /// States of users who are not in the channel; over it: the one set longest ago goes.
    static let presenceAbsentStatesMax = 100_000
    /// Presence events that are not out yet.
    ///
    /// Over it: nobody new gets in, no state changes and nobody times out; who leaves still leaves,
    /// so there may be as many more as there are users in channels.
    static let presenceAnnouncementsMax = 262_144
    /// Bytes of the users in the reply to one `hereNow`, roughly, but for a user who alone has
    /// more; `next` leads to the rest.
    static let presencePageBytesMax = 64 * 1024
    /// How long whose WebSocket was cut stays in its channels, in seconds, unless an owner's
    /// `presence_timeout_min` is longer or `presence_timeout` shorter; then: `timeout`.
    static let presenceGraceSeconds = 20
    /// Requests that wait for the presence thread; over it: `overloaded`.
    static let presenceQueueMax = 262_144
    /// How long a daemon that comes to order hears only what others have promised of presence,
    /// in milliseconds; requests wait.
    static let presenceHoldMilliseconds: UInt64 = 2000
    /// Channels in one answer about a whole tenant's presence; the totals count all.
    static let presenceSurveyChannelsMax = 1000
}
