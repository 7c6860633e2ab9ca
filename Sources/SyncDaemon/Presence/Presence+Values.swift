// What presence is told and what it says, as values.

import EventModel

extension Presence {
    /// One moment on both clocks.
    struct Instant: Hashable, Sendable {
        /// On the clock that never steps back; decides what is due.
        var milliseconds: UInt64
        /// Since 1970; only ever told to clients.
        var wallSeconds: UInt64
    }

    /// A user of a tenant; nobody when the id is empty.
    struct Member: Hashable, Sendable {
        var userID: String
        var keyset: String
    }

    /// Something to publish.
    struct Announcement: Hashable, Sendable {
        /// The presence channel of the channel that it is about.
        var channel: Channel
        var notice: PresenceNotice
    }

    /// What may be held; see `Limits` for what each protects.
    struct Bounds {
        var memberships = Limits.presenceMembershipsMax
        var stateBytes = Limits.presenceStateBytesMax
        var allStateBytes = Limits.presenceAllStateBytesMax
        var absentStates = Limits.presenceAbsentStatesMax
        var announcements = Limits.presenceAnnouncementsMax
        var channelsPerUser = Limits.presenceChannelsPerUserMax
        var namesPerAnswer = Limits.presenceNamesPerAnswerMax
        var perStep = Limits.presenceStepMax
    }

    /// Why a part of what was asked was not done; the other parts were.
    enum Refusal: Hashable, Sendable {
        /// Nobody new gets in: of this connection, of this tenant, or anywhere; who is in stays in.
        case tooManyMemberships
        /// The tenant has all that its owner was given: the user is in none of the channels that
        /// are new.
        case quotaExceeded
        /// The user is in as many channels as one may be.
        case tooManyChannels
        /// One state is over its limit.
        case stateTooLong
        /// The states of all users fill their memory.
        case tooMuchState
        /// Too many announcements wait: nobody new gets in and no state changes.
        case tooManyAnnouncements
    }
}
