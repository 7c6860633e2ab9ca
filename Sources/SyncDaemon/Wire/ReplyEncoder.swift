// Replies and errors as JSON, as docs/PROTOCOL.md shows them.

import EventModel
import JSON

/// Writes one reply per call into a buffer that the caller keeps.
enum ReplyEncoder {
    static func encode(_ reply: Reply, to id: CommandID, into json: inout JSONWriter) {
        json.beginObject()
        json.name("id")
        json.integer(id)
        json.name("ok")
        encode(reply, into: &json)
        json.endObject()
    }

    /// - Parameter id: `nil` when the message that failed carried none.
    static func encode(_ error: ProtocolError, to id: CommandID?, into json: inout JSONWriter) {
        json.beginObject()
        json.name("id")
        if let id { json.integer(id) } else { json.null() }
        json.name("error")
        json.beginObject()
        json.name("status")
        json.integer(error.status)
        json.name("code")
        json.string(error.code)
        json.name("message")
        json.string(error.message)
        if let seconds = error.retryAfterSeconds {
            json.name("retryAfter")
            json.integer(seconds)
        }
        json.endObject()
        json.endObject()
    }

    private static func encode(_ reply: Reply, into json: inout JSONWriter) {
        json.beginObject()
        switch reply {
        case .hello(let welcome): encode(welcome, into: &json)
        case .subscribed(let channels): encode(channels, into: &json)
        case .unsubscribed(let channels):
            json.name("channels")
            json.beginArray()
            for channel in channels { json.string(channel) }
            json.endArray()
        case .repair(let step): encode(step, into: &json)
        case .published(let timetoken):
            json.name("timetoken")
            json.quoted(timetoken.rawValue)
        case .actionAdded(let action, let addition):
            json.name("applied")
            json.string(addition.rawValue)
            json.name("action")
            encode(action, into: &json)
        case .actionRemoved(let removal):
            json.name("applied")
            json.string(removal.rawValue)
        case .history(let page): encode(page, into: &json)
        case .actions(let page):
            json.name("actions")
            encode(page.actions, into: &json)
            encodeNext(page.next, into: &json)
        case .pong(let time):
            json.name("time")
            json.quoted(time.rawValue)
        case .messagesDeleted(let timetoken):
            json.name("timetoken")
            json.quoted(timetoken.rawValue)
        case .groupChanged: break
        case .histories(let histories): encode(histories, into: &json)
        case .messageCounts(let counts): encode(counts, into: &json)
        }
        json.endObject()
    }

    private static func encode(_ welcome: Welcome, into json: inout JSONWriter) {
        json.name("session")
        json.string(welcome.session)
        json.name("time")
        json.quoted(welcome.time.rawValue)
        json.name("epoch")
        json.string(welcome.epoch)
        json.name("heartbeat")
        json.integer(welcome.heartbeatSeconds)
        json.name("limits")
        json.beginObject()
        json.name("frameBytes")
        json.integer(welcome.frameBytesMax)
        json.name("channels")
        json.integer(welcome.channelsMax)
        json.endObject()
    }

    private static func encode(_ channels: [SubscribedChannel], into json: inout JSONWriter) {
        json.name("channels")
        json.beginArray()
        for channel in channels {
            json.beginObject()
            json.name("name")
            json.string(channel.channel)
            json.name("mode")
            json.string(channel.mode.rawValue)
            json.name("cursor")
            json.quoted(channel.cursor.rawValue)
            if let key = channel.key {
                json.name("key")
                json.string(key.text)
            }
            if let state = channel.state { json.state(state) }
            json.endObject()
        }
        json.endArray()
    }

    private static func encode(_ step: RepairStep, into json: inout JSONWriter) {
        switch step {
        case .needsSymbols(let count):
            json.name("need")
            json.integer(count)
        case .difference(let difference):
            json.name("cursor")
            json.quoted(difference.cursor.rawValue)
            json.state(difference.state)
            json.name("rows")
            json.string(PackedActions.text(difference.rows))
            json.name("drop")
            json.string(PackedActions.text(difference.dropped))
        case .snapshot:
            json.name("snapshot")
            json.bool(true)
        }
    }

    private static func encode(_ histories: [ChannelHistory], into json: inout JSONWriter) {
        json.name("channels")
        json.beginArray()
        for history in histories {
            json.beginObject()
            json.name("name")
            json.string(history.channel)
            encode(history.page, into: &json)
            json.endObject()
        }
        json.endArray()
    }

    private static func encode(_ counts: [MessageCount], into json: inout JSONWriter) {
        json.name("channels")
        json.beginArray()
        for count in counts {
            json.beginObject()
            json.name("name")
            json.string(count.channel)
            json.name("count")
            json.integer(count.count)
            json.endObject()
        }
        json.endArray()
    }

    private static func encode(_ page: HistoryPage, into json: inout JSONWriter) {
        json.name("messages")
        json.beginArray()
        for stored in page.messages {
            json.beginObject()
            json.name("timetoken")
            json.quoted(stored.timetoken.rawValue)
            json.name("uuid")
            json.string(stored.uuid)
            json.name("payload")
            json.raw(stored.message.payload)
            if let meta = stored.message.meta {
                json.name("meta")
                json.raw(meta)
            }
            if let type = stored.message.type {
                json.name("messageType")
                json.string(type)
            }
            if !stored.actions.isEmpty {
                json.name("actions")
                encode(stored.actions, into: &json)
            }
            if let more = stored.moreActions {
                json.name("more")
                json.quoted(more.rawValue)
            }
            json.endObject()
        }
        json.endArray()
        encodeNext(page.next, into: &json)
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

    private static func encodeNext(_ next: Timetoken?, into json: inout JSONWriter) {
        guard let next else { return }
        json.name("next")
        json.quoted(next.rawValue)
    }
}
