// Every refusal that a client can get, with its status, its stable code and what to do about it.

import EventModel
import JSON

extension ProtocolError {
    static func notJSON(_ error: JSONError) -> ProtocolError {
        ProtocolError(
            status: 400, code: "not_json",
            message: "\(error) Send one JSON object per message.")
    }

    static let notAnObject = ProtocolError(
        status: 400, code: "not_an_object",
        message: #"Send one JSON object per message, such as {"id":1,"op":"ping"}."#)

    static let bodyTooLong = ProtocolError(
        status: 413, code: "request_too_large",
        message: "Send a body of at most \(Limits.requestBodyBytesMax) bytes.")

    static let targetTooLong = ProtocolError(
        status: 414, code: "request_too_long",
        message: "The query is too long. Ask for less at a time.")

    static func notBatched(_ name: String, _ known: [String]) -> ProtocolError {
        ProtocolError(
            status: 400, code: "unknown_op",
            message: "No batch has an op \"\(name.prefix(40))\". Use one of "
                + known.joined(separator: ", ") + ".")
    }

    static func invalidField(_ name: String, _ expectation: String) -> ProtocolError {
        ProtocolError(
            status: 400, code: "invalid_field",
            message: "The field \"\(name)\" must be \(expectation).")
    }

    static func unknownOperation(_ name: String) -> ProtocolError {
        let known = Command.Operation.allCases.map(\.rawValue)
        return ProtocolError(
            status: 400, code: "unknown_op",
            message: "There is no op \"\(name.prefix(40))\". Use one of "
                + known.joined(separator: ", ") + ".")
    }

    static let invalidChannel = ProtocolError(
        status: 400, code: "invalid_channel",
        message: "A channel name has 1 to \(Limits.channelNameBytesMax) bytes, no comma and no "
            + "control character, and does not end in .*: such a name stands for many. "
            + "Rename the channel, or follow the wildcard.")

    static let presenceIsReadOnly = ProtocolError(
        status: 400, code: "invalid_channel",
        message: "Channels that end in \(Channel.presenceSuffix) are the daemon's own: "
            + "follow them, and write to others.")

    static let directoryIsReadOnly = ProtocolError(
        status: 400, code: "invalid_channel",
        message: "The channels $users and $channels, and those that begin with $members: or "
            + "$memberships:, are directories: follow them, and change their entries with setUser, "
            + "setChannel, setMembers and their like.")

    static let entryModified = ProtocolError(
        status: 412, code: "entry_modified",
        message: "Meanwhile somebody changed this. Read it again, and repeat the change with its "
            + "timetoken as \"expected\".")

    static let entryTooLarge = ProtocolError(
        status: 413, code: "entry_too_large",
        message: "What is known of one user, channel or membership has at most "
            + "\(Limits.entryBytesMax) bytes. Keep less in it.")

    static let tooManyMemberships = ProtocolError(
        status: 409, code: "too_many_memberships",
        message: "There are more than \(Limits.membershipsMovedMax) memberships that would go, "
            + "too. Remove them first, \(Limits.entriesChangedMax) at a time.")

    static let invalidPlace = ProtocolError(
        status: 400, code: "invalid_field",
        message: "This place is of another order. Use what the page before said as \"next\", with "
            + "the same \"sort\".")

    /// - Parameter reason: A whole sentence.
    static func invalidFilter(_ reason: String) -> ProtocolError {
        ProtocolError(status: 400, code: "invalid_filter", message: reason)
    }

    /// - Parameters:
    ///   - what: Such as `channels`.
    ///   - way: What frees room for others.
    static func tooManyChannels(
        _ limit: Int, _ what: String = "channels", per scope: String,
        or way: String = "unsubscribe from some"
    ) -> ProtocolError {
        ProtocolError(
            status: 400, code: "too_many_channels",
            message: "At most \(limit) \(what) per \(scope). Name fewer, or \(way).")
    }

    /// Why a tenant may not have more.
    init(_ refusal: QuotaRefusal) {
        switch refusal {
        case .exceeded(let quota, let max): self = .quotaExceeded(quota, max: max)
        case .share(let max): self = .shareExceeded(max)
        case .exhausted: self = .overloaded
        }
    }

    private static func shareExceeded(_ max: Int) -> ProtocolError {
        ProtocolError(
            status: 429, code: "quota_exceeded",
            message: "One connection may follow \(max) of this keyset's subscriptions now. Follow "
                + "fewer, use another connection, or ask the operator for more.",
            retryAfterSeconds: Limits.quotaRetrySeconds)
    }

    private static func quotaExceeded(_ quota: Quota, max: Int) -> ProtocolError {
        ProtocolError(
            status: 429, code: "quota_exceeded",
            message: "This keyset has as many \(quota.name) as it may: \(max), over all of its "
                + "clients. \(quota == .channels ? "They stay: use one of those" : "Retry later"), "
                + "or ask the operator for more.",
            retryAfterSeconds: Limits.quotaRetrySeconds)
    }

    /// The groups of a keyset take no further channels: more than that are not free.
    static func tooManyGrouped(_ limit: Int) -> ProtocolError {
        ProtocolError(
            status: 400, code: "too_many_channels",
            message: "At most \(limit) channels in all groups of this keyset now: take some out, "
                + "or ask the operator for more memory.")
    }

    static let reactionsOff = ProtocolError(
        status: 403, code: "reactions_off",
        message: "There are no reactions in this channel. Ask the operator for them.")

    static let valueNotAllowed = ProtocolError(
        status: 400, code: "value_not_allowed",
        message: "This channel has no such reaction. The reply to subscribe says which it has.")

    static let noSuchMessage = ProtocolError(
        status: 404, code: "no_such_message",
        message: "There is no message with this timetoken in the channel, or it was deleted. Take "
            + "the timetoken from the channel's history, or from the reply to publish.")

    static let notOwner = ProtocolError(
        status: 403, code: "not_owner",
        message: "The message is another user's: only its author edits it, and who has the "
            + "right to delete may delete it with deleteMessages.")

    /// - Parameter most: Such as `20 actions of one user`.
    static func tooManyActions(_ most: String) -> ProtocolError {
        ProtocolError(
            status: 409, code: "too_many_actions",
            message: "A message has at most \(most) here. Take one back first.")
    }

    static func scoreTooLarge(_ most: Int) -> ProtocolError {
        ProtocolError(
            status: 409, code: "score_too_large",
            message: "An action counts for \(most) at most, and those that say the same of a "
                + "message for 9007199254740991. Send a smaller score.")
    }

    static let noRepair = ProtocolError(
        status: 409, code: "no_repair",
        message: "This channel waits for no repair. Subscribe to it again, and look at the mode.")

    static let tooManyRows = ProtocolError(
        status: 409, code: "too_many_rows",
        message: "Over \(Limits.windowPlaceRowsMax) rows stand on the next timetoken, or very many "
            + "before it without a message between. Follow the channel with "
            + "\"actions\":\"summary\" instead, and ask history for messages.")

    static let tooManyLiveQueries = ProtocolError(
        status: 400, code: "too_many_live_queries",
        message: "At most \(Limits.liveQueriesPerSessionMax) live queries per session. End some.")

    static let noLiveQuery = ProtocolError(
        status: 409, code: "no_live_query",
        message: "No live query of this number is open, or it ended meanwhile. Ask anew.")

    static let helloFirst = ProtocolError(
        status: 401, code: "hello_first",
        message: #"Say who you are first: {"id":1,"op":"hello","userId":"…","deviceId":"…"}."#)

    static func unknownKeyset(_ keyset: String) -> ProtocolError {
        ProtocolError(
            status: 401, code: "unknown_keyset",
            message: "There is no keyset \"\(keyset.prefix(40))\" here. "
                + "Ask the operator for its subscribe key.")
    }

    static let forbidden = ProtocolError(
        status: 403, code: "forbidden",
        message: "Your token does not allow this here. Ask for one with the right that it needs.")

    /// - Parameter lacking: Such as `history on channel "room"`.
    static func forbidden(lacking: String) -> ProtocolError {
        ProtocolError(
            status: 403, code: forbidden.code,
            message: "Your token lacks \(lacking). Ask for one with the right that it needs.")
    }

    static let tokenMissing = ProtocolError(
        status: 401, code: "token_missing",
        message: "This keyset admits only who shows a token: say hello with token, syncctl with "
            + "--token.")

    static let tokenInvalid = ProtocolError(
        status: 401, code: "token_invalid",
        message: "No key of this keyset made this token, or it begins later, or says what nobody "
            + "knows. Ask for another.")

    static let tokenExpired = ProtocolError(
        status: 401, code: "token_expired",
        message: "Your token has expired. Ask for another, and show it.")

    static let tokenRevoked = ProtocolError(
        status: 401, code: "token_revoked",
        message: "Your token was taken back. Ask for another.")

    static let tooManyRevoked = ProtocolError(
        status: 507, code: "too_many_revoked",
        message: "This keyset has \(Limits.revokedTokensMax) revoked tokens whose time is not "
            + "over. Change its secret_key, which ends all tokens at once, or grant for less time.")

    static let tooManyKeyGrants = ProtocolError(
        status: 507, code: "too_many_key_grants",
        message: "This keyset has no room for more grants of version 2 whose time is not "
            + "over. Take some back, grant for less time, or use grant_token, which stores nothing."
    )

    static let tokenOfAnother = ProtocolError(
        status: 403, code: "token_of_another",
        message: "This token is for another user or device. Show your own.")

    static let invalidPublishKey = ProtocolError(
        status: 403, code: "invalid_publish_key",
        message: "Who publishes in this keyset names its publish key: say hello with publishKey, "
            + "syncctl with --publish-key. You gave none, or another. Ask the operator for it.")

    /// - Parameter reason: In the words of the server that was asked; empty when it gave none.
    static func refusedByInterceptor(_ reason: String) -> ProtocolError {
        ProtocolError(
            status: 403, code: "refused_by_interceptor",
            message: reason.isEmpty
                ? "The application does not want this here. A retry changes nothing." : reason)
    }

    static let interceptorFailed = ProtocolError(
        status: 503, code: "interceptor_failed",
        message: "The server of the application that has to allow this does not answer. "
            + "Retry after a second with the same mutation id.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    /// The same for clients, and another word for who asks them.
    static let interceptorUnclear = ProtocolError(
        status: interceptorFailed.status, code: interceptorFailed.code,
        message: "The server of the application that has to allow this answers what is no answer. "
            + "Retry after a second with the same mutation id, or tell its operator.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    static let deletingDisabled = ProtocolError(
        status: 403, code: "deleting_disabled",
        message: "The owner of this keyset lets nobody delete messages here. Ask the operator.")

    static let historyDisabled = ProtocolError(
        status: 403, code: "history_disabled",
        message: "The owner of this keyset has no messages stored in this channel. "
            + "Ask the operator.")

    static let helloAgain = ProtocolError(
        status: 409, code: "hello_again",
        message: "This session has a user already. Open another connection for another user.")

    static let mutationReused = ProtocolError(
        status: 409, code: "mutation_reused",
        message: "This mutation id did something else before. Give each write an id of its own.")

    static let rateLimited = ProtocolError(
        status: 429, code: "rate_limited",
        message: "Too many commands. Slow down, then retry with the same mutation id.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    static let tooManyInFlight = ProtocolError(
        status: 429, code: "too_many_in_flight",
        message: "Over \(Limits.commandsInFlightMax) commands wait for their replies. "
            + "Read some replies, then retry with the same mutation id.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    static let overloaded = ProtocolError(
        status: 503, code: "overloaded",
        message: "The daemon has more work than it can queue. "
            + "Retry after a second with the same mutation id.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    /// The same to who has to wait, with other words for who wonders why.
    static let memoryShort = ProtocolError(
        status: 503, code: "overloaded",
        message: "The daemon is near its memory_max: nobody new is let in, and nothing more is "
            + "followed. Retry later, or ask the operator.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    /// The same to who comes with a cursor of a daemon that is ahead of this one.
    static let behind = ProtocolError(
        status: 503, code: "overloaded",
        message: "This daemon is behind the one that gave you this cursor. Ask again in a "
            + "second: nothing is missed.",
        retryAfterSeconds: Limits.retryAfterSeconds)

    static let draining = ProtocolError(
        status: 503, code: "draining",
        message: "The daemon is stopping. Reconnect and retry with the same mutation id.")

    static let storeUnavailable = ProtocolError(
        status: 503, code: "store_unavailable",
        message: "The store did not confirm this. Reconnect and retry with the same mutation id.")

    static let storeFull = ProtocolError(
        status: 507, code: "store_full",
        message: "The disk is full; nothing was applied. Ask the operator, then retry.")

    /// A status under 500, so that a device reports it to its user and goes on with other writes.
    static let storeDamaged = ProtocolError(
        status: 423, code: "store_damaged",
        message: "The database is damaged here, and nothing was applied. Ask the operator to mend "
            + "it; other channels go on.")

    /// A problem of the JSON that a command is made of.
    init(_ error: JSONError) {
        switch error {
        case .notJSON: self = .notJSON(error)
        case .tooDeep:
            self.init(
                status: 400, code: "json_too_deep", message: "\(error) Flatten it.")
        case .missingField:
            self.init(status: 400, code: "missing_field", message: error.description)
        case .wrongType:
            self.init(status: 400, code: "invalid_field", message: error.description)
        }
    }
}
