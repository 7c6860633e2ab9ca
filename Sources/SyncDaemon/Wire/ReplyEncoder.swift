// Replies and errors as JSON, as docs/PROTOCOL.md shows them.

import EventModel
import JSON

/// Writes one reply per call into a buffer that the caller keeps.
enum ReplyEncoder {
    static func encode(_ reply: Reply, to id: CommandID, into json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.name("ok")
        encode(reply, into: &json)
        json.endObject()
    }

    static func encode(
        _ reply: EncodedReply, to id: CommandID, into json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("id", id)
        json.name("ok")
        json.raw(reply.bytes)
        json.endObject()
    }

    /// - Parameter id: `nil` when the message that failed carried none.
    static func encode(_ error: ProtocolError, to id: CommandID?, into json: inout JSONWriter) {
        json.beginObject()
        json.name("id")
        if let id { json.integer(id) } else { json.null() }
        encode(error, into: &json)
        json.endObject()
    }

    /// Tells a session in which channels its user may not be, or not in all of them.
    static func encode(
        absent channels: [String], because error: ProtocolError, into json: inout JSONWriter
    ) {
        json.beginObject()
        json.beginObject("absent")
        json.member("channels", channels)
        encode(error, into: &json)
        json.endObject()
        json.endObject()
    }

    static func encode(_ error: ProtocolError, into json: inout JSONWriter) {
        json.beginObject("error")
        json.member("status", error.status)
        json.member("code", error.code)
        json.member("message", error.message)
        json.member("retryAfter", error.retryAfterSeconds)
        json.endObject()
    }

    fileprivate static func encode(_ reply: Reply, into json: inout JSONWriter) {
        json.beginObject()
        switch reply {
        case .hello(let welcome): encode(welcome, into: &json)
        case .subscribed(let channels): encode(channels, into: &json)
        case .unsubscribed(let channels):
            json.member("channels", channels)
        case .followed(let cursor):
            json.member("cursor", quoted: cursor.rawValue)
        case .unfollowed, .groupChanged, .deviceChanged, .fileAdded: break
        case .fileRemoved(let id): json.member("id", id)
        case .files(let files, let next): encode(files, next: next, into: &json)
        case .group(let channels), .deviceChannels(let channels):
            json.member("channels", channels)
        case .repair(let step): encode(step, into: &json)
        case .published(let timetoken), .directoryChanged(let timetoken, _):
            json.member("timetoken", quoted: timetoken.rawValue)
        case .directory(let page): encode(page, into: &json)
        case .actionAdded(let action, let addition):
            json.member("applied", addition.rawValue)
            json.name("action")
            encode(action, into: &json)
        case .actionRemoved(let removal):
            json.member("applied", removal.rawValue)
        case .history(let page): encode(page, into: &json)
        case .older(let page): encode(page, into: &json)
        case .actions(let page):
            json.name("actions")
            encode(page.actions, into: &json)
            json.member("next", page.next?.text)
            json.member("live", page.live?.id)
            json.member("t", quoted: page.live?.position.rawValue)
        case .liveEnded(let id):
            json.member("live", id)
        case .summaries(let page):
            json.summaries("summaries", page.summaries)
            if !page.rest.isEmpty {
                json.beginArray("rest")
                for message in page.rest { json.quoted(message.rawValue) }
                json.endArray()
            }
        case .markedRead(let through):
            json.member("through", quoted: through.rawValue)
        case .unread(let channels): encode(channels, into: &json)
        case .hereNow(let page): encode(page, into: &json)
        case .whereNow(let channels):
            json.member("channels", channels)
        case .state(let state):
            json.member("state", raw: state)
        case .pong(let time):
            json.member("time", quoted: time.rawValue)
        case .tokenShown(let seconds):
            json.member("tokenExpires", seconds)
        case .messagesDeleted(let timetoken):
            json.member("timetoken", quoted: timetoken.rawValue)
        case .messageDeleted(let timetoken):
            json.member("applied", (timetoken == nil ? Removal.absent : .removed).rawValue)
            json.member("timetoken", quoted: timetoken?.rawValue)
        case .actionsCleared(let timetoken, let count):
            json.member("applied", (timetoken == nil ? Removal.absent : .removed).rawValue)
            if timetoken != nil { json.member("count", count) }
            json.member("timetoken", quoted: timetoken?.rawValue)
        case .tokenRevoked, .keysGranted, .histories, .messageCounts:
            preconditionFailure("No command of the WebSocket is answered so.")
        }
        json.endObject()
    }

    private static func encode(_ welcome: Welcome, into json: inout JSONWriter) {
        json.member("session", welcome.session)
        json.member("time", quoted: welcome.time.rawValue)
        json.member("epoch", welcome.epoch)
        json.member("heartbeat", welcome.heartbeatSeconds)
        json.member("tokenExpires", welcome.tokenExpires)
        json.beginObject("limits")
        json.member("frameBytes", welcome.frameBytesMax)
        json.member("channels", welcome.channelsMax)
        json.endObject()
    }

    private static func encode(_ channels: [SubscribedChannel], into json: inout JSONWriter) {
        var rules = RulesEncoder()
        json.beginArray("channels")
        for channel in channels {
            json.members(of: channel, &rules)
        }
        json.endArray()
        rules.end(into: &json)
    }

    private static func encode(_ step: RepairStep, into json: inout JSONWriter) {
        switch step {
        case .needsSymbols(let count):
            json.member("need", count)
        case .segments(let ranges, let states, let count):
            json.member("segments", PackedRanges.text(ranges))
            if !states.isEmpty { json.member("states", PackedStates.text(states)) }
            json.member("need", count)
        case .missing(let timetokens):
            json.member("missing", PackedActions.text(timetokens))
        case .whole:
            json.member("whole", true)
        case .difference(let difference):
            json.member("cursor", quoted: difference.cursor.rawValue)
            if let state = difference.state { json.state(state) }
            json.member("rows", PackedActions.text(difference.rows))
            if !difference.messages.isEmpty { encode(difference.messages, into: &json) }
            json.member("drop", PackedActions.text(difference.dropped))
        case .snapshot:
            json.member("snapshot", true)
        }
    }

    private static func encode(_ page: WindowPage, into json: inout JSONWriter) {
        json.member("cursor", quoted: page.cursor.rawValue)
        json.member("after", quoted: page.after.rawValue)
        json.state(page.rest, as: "rest")
        json.state(page.state)
        encode(page.messages, into: &json)
        json.member("rows", PackedActions.text(page.actions))
    }

    private static func encode(_ page: HistoryPage, into json: inout JSONWriter) {
        encode(page.messages, into: &json)
        json.member("next", quoted: page.next?.rawValue)
    }

    private static func encode(_ messages: [StoredMessage], into json: inout JSONWriter) {
        json.beginArray("messages")
        for stored in messages {
            json.beginObject()
            json.member("timetoken", quoted: stored.timetoken.rawValue)
            json.member("uuid", stored.uuid)
            json.member("payload", raw: stored.message.payload)
            json.member("meta", raw: stored.message.meta)
            json.member("messageType", stored.message.type)
            json.member("parent", quoted: stored.message.parent?.rawValue)
            if stored.threadCount > 0 { json.member("threadCount", stored.threadCount) }
            if !stored.actions.isEmpty {
                json.name("actions")
                encode(stored.actions, into: &json)
            }
            json.member("more", quoted: stored.moreActions?.rawValue)
            if let edited = stored.edited {
                json.beginObject("edited")
                json.member("payload", raw: edited.payload)
                json.member("timetoken", quoted: edited.timetoken.rawValue)
                json.endObject()
            }
            json.member("deleted", quoted: stored.deleted?.rawValue)
            json.endObject()
        }
        json.endArray()
    }

    private static func encode(_ page: OccupancyPage, into json: inout JSONWriter) {
        json.member("occupancy", page.occupancy)
        json.beginArray("users")
        for user in page.users {
            json.beginObject()
            json.member("userId", user.userID)
            json.member("state", raw: user.state)
            json.endObject()
        }
        json.endArray()
        json.member("next", page.next)
    }

    private static func encode(_ actions: [MessageAction], into json: inout JSONWriter) {
        json.beginArray()
        for action in actions { encode(action, into: &json) }
        json.endArray()
    }

    private static func encode(_ action: MessageAction, into json: inout JSONWriter) {
        json.beginObject()
        json.members(of: action, namingUser: true)
        json.endObject()
    }
}

/// A reply as JSON, without the id of its command.
struct EncodedReply: Sendable {
    let bytes: [UInt8]

    init(_ reply: Reply) {
        var json = JSONWriter()
        ReplyEncoder.encode(reply, into: &json)
        bytes = json.bytes
    }
}
