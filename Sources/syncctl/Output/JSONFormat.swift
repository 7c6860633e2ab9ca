// Events, messages and actions as JSON lines for programs. Pure.

import EventModel
import JSON
import SyncClient

/// One object per line; its members are called as in docs/PROTOCOL.md.
struct JSONFormat {
    var user: String

    /// One event; an action's has the reactions that stand after it.
    func line(for envelope: Envelope, in cache: DeviceCache) -> String {
        object { json in
            json.name("event")
            switch envelope.event {
            case .message(let message), .signal(let message):
                json.string(envelope.event.word)
                json.member("channel", envelope.channel.name)
                json.member("timetoken", quoted: envelope.timetoken.rawValue)
                json.member("uuid", envelope.uuid)
                Self.write(message, into: &json)
                if !envelope.isStored { json.member("stored", false) }
            case .actionAdded(let action):
                json.string("actionAdded")
                write(envelope, action, cache, into: &json)
            case .actionRemoved(let action):
                json.string("actionRemoved")
                write(envelope, action, cache, into: &json)
            case .messagesDeleted(let start, let end):
                json.string("messagesDeleted")
                json.member("channel", envelope.channel.name)
                json.member("timetoken", quoted: envelope.timetoken.rawValue)
                json.member("after", quoted: start.rawValue)
                json.member("through", quoted: end.rawValue)
            case .actionsCleared(let clearing):
                json.string("actionsCleared")
                json.member("channel", envelope.channel.name)
                json.member("timetoken", quoted: envelope.timetoken.rawValue)
                json.member("messageTimetoken", quoted: clearing.messageTimetoken?.rawValue)
                json.member("type", clearing.type)
                json.member("value", clearing.value)
                json.member("uuid", clearing.userID)
            case .presence(let notice):
                json.string(notice.action.rawValue)
                json.member("channel", envelope.channel.name)
                json.member("timetoken", quoted: envelope.timetoken.rawValue)
                json.member("uuid", notice.userID)
                json.member("occupancy", notice.occupancy)
                json.member("timestamp", Int64(clamping: notice.seconds))
                write(notice, into: &json)
            case .directory(let notice):
                json.string("directory")
                json.member("channel", envelope.channel.name)
                json.member("timetoken", quoted: envelope.timetoken.rawValue)
                json.member("about", notice.id)
            }
        }
    }

    func line(for stored: StoredMessage, showsActions: Bool) -> String {
        object { json in
            json.member("timetoken", quoted: stored.timetoken.rawValue)
            json.member("uuid", stored.uuid)
            Self.write(stored.message, into: &json)
            if let edited = stored.edited {
                json.beginObject("edited")
                json.member("payload", raw: edited.payload)
                json.member("timetoken", quoted: edited.timetoken.rawValue)
                json.endObject()
            }
            json.member("deleted", quoted: stored.deleted?.rawValue)
            if stored.threadCount > 0 { json.member("threadCount", stored.threadCount) }
            guard showsActions else { return }
            json.beginArray("actions")
            for action in stored.actions {
                json.beginObject()
                Self.write(action, into: &json)
                json.endObject()
            }
            json.endArray()
        }
    }

    func line(for action: MessageAction) -> String {
        object { json in Self.write(action, into: &json) }
    }

    func line(deletedAfter start: Timetoken, through end: Timetoken, at timetoken: Timetoken)
        -> String
    {
        object { json in
            json.member("timetoken", quoted: timetoken.rawValue)
            json.member("after", quoted: start.rawValue)
            json.member("through", quoted: end.rawValue)
        }
    }

    func line(for problem: SyncEvent.Problem) -> String {
        object { json in
            json.beginObject("problem")
            json.member("channel", problem.channel)
            json.member("reason", problem.reason)
            json.endObject()
        }
    }

    func line(for failure: Failure) -> String {
        object { json in
            json.beginObject("error")
            json.member("code", failure.code)
            json.member("message", failure.message)
            if !failure.advice.isEmpty { json.member("advice", failure.advice) }
            json.member("retryAfter", failure.retryAfterSeconds)
            json.endObject()
        }
    }

    /// For example `{"event":"disconnected","reason":"…"}`.
    func line(event: String, reason: String?) -> String {
        object { json in
            json.member("event", event)
            json.member("reason", reason)
        }
    }

    func line(published timetoken: Timetoken) -> String {
        object { json in json.member("timetoken", quoted: timetoken.rawValue) }
    }

    func line(applied: String, to action: MessageAction?) -> String {
        object { json in
            json.member("applied", applied)
            guard let action else { return }
            json.beginObject("action")
            Self.write(action, into: &json)
            json.endObject()
        }
    }

    // MARK: Parts

    private func write(
        _ envelope: Envelope, _ action: MessageAction, _ cache: DeviceCache,
        into json: inout JSONWriter
    ) {
        json.member("channel", envelope.channel.name)
        json.member("timetoken", quoted: envelope.timetoken.rawValue)
        Self.write(action, into: &json)
        json.beginArray("reactions")
        for reaction in cache.reactions(to: action.key.messageTimetoken, for: user) {
            json.beginObject()
            json.member("value", reaction.value)
            json.member("count", reaction.count)
            json.member("mine", reaction.isMine)
            json.endObject()
        }
        json.endArray()
    }

    /// What only some notices have.
    private func write(_ notice: PresenceNotice, into json: inout JSONWriter) {
        json.member("state", raw: notice.state)
        let lists: [(StaticString, [String])] = [
            ("joined", notice.joined), ("left", notice.left), ("timedOut", notice.timedOut),
        ]
        for (name, users) in lists where !users.isEmpty { json.member(name, users) }
        if notice.needsRefresh { json.member("needsRefresh", true) }
    }

    private static func write(_ message: Message, into json: inout JSONWriter) {
        json.member("payload", raw: message.payload)
        json.member("meta", raw: message.meta)
        json.member("messageType", message.type)
        json.member("parent", quoted: message.parent?.rawValue)
    }

    static func write(_ action: MessageAction, into json: inout JSONWriter) {
        json.member("messageTimetoken", quoted: action.key.messageTimetoken.rawValue)
        json.member("type", action.key.type)
        json.member("value", action.key.value)
        json.member("uuid", action.key.uuid)
        json.member("actionTimetoken", quoted: action.actionTimetoken.rawValue)
        if action.score != 1 { json.member("score", action.score) }
    }

    func object(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        body(&json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension Event {
    /// What a line for programs calls a message of this kind.
    fileprivate var word: String {
        if case .signal = self { "signal" } else { "message" }
    }
}
