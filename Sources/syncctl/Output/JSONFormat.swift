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
                json.text("channel", envelope.channel.name)
                json.timetoken("timetoken", envelope.timetoken)
                json.text("uuid", envelope.uuid)
                Self.write(message, into: &json)
                if !envelope.isStored {
                    json.name("stored")
                    json.bool(false)
                }
            case .actionAdded(let action):
                json.string("actionAdded")
                write(envelope, action, cache, into: &json)
            case .actionRemoved(let action):
                json.string("actionRemoved")
                write(envelope, action, cache, into: &json)
            case .messagesDeleted(let start, let end):
                json.string("messagesDeleted")
                json.text("channel", envelope.channel.name)
                json.timetoken("timetoken", envelope.timetoken)
                json.timetoken("after", start)
                json.timetoken("through", end)
            case .presence(let notice):
                json.string(notice.action.rawValue)
                json.text("channel", envelope.channel.name)
                json.timetoken("timetoken", envelope.timetoken)
                if let user = notice.userID { json.text("uuid", user) }
                json.name("occupancy")
                json.integer(notice.occupancy)
                json.name("timestamp")
                json.integer(Int64(clamping: notice.seconds))
                write(notice, into: &json)
            }
        }
    }

    func line(for stored: StoredMessage, showsActions: Bool) -> String {
        object { json in
            json.timetoken("timetoken", stored.timetoken)
            json.text("uuid", stored.uuid)
            Self.write(stored.message, into: &json)
            guard showsActions else { return }
            json.name("actions")
            json.beginArray()
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
            json.timetoken("timetoken", timetoken)
            json.timetoken("after", start)
            json.timetoken("through", end)
        }
    }

    func line(for problem: SyncEvent.Problem) -> String {
        object { json in
            json.name("problem")
            json.beginObject()
            if let channel = problem.channel { json.text("channel", channel) }
            json.text("reason", problem.reason)
            json.endObject()
        }
    }

    func line(for failure: Failure) -> String {
        object { json in
            json.name("error")
            json.beginObject()
            json.text("code", failure.code)
            json.text("message", failure.message)
            if !failure.advice.isEmpty { json.text("advice", failure.advice) }
            if let seconds = failure.retryAfterSeconds {
                json.name("retryAfter")
                json.integer(seconds)
            }
            json.endObject()
        }
    }

    /// For example `{"event":"disconnected","reason":"…"}`.
    func line(event: String, reason: String?) -> String {
        object { json in
            json.text("event", event)
            if let reason { json.text("reason", reason) }
        }
    }

    func line(published timetoken: Timetoken) -> String {
        object { json in json.timetoken("timetoken", timetoken) }
    }

    func line(applied: String, to action: MessageAction?) -> String {
        object { json in
            json.text("applied", applied)
            guard let action else { return }
            json.name("action")
            json.beginObject()
            Self.write(action, into: &json)
            json.endObject()
        }
    }

    // MARK: Parts

    private func write(
        _ envelope: Envelope, _ action: MessageAction, _ cache: DeviceCache,
        into json: inout JSONWriter
    ) {
        json.text("channel", envelope.channel.name)
        json.timetoken("timetoken", envelope.timetoken)
        Self.write(action, into: &json)
        json.name("reactions")
        json.beginArray()
        for reaction in cache.reactions(to: action.key.messageTimetoken, for: user) {
            json.beginObject()
            json.text("value", reaction.value)
            json.name("count")
            json.integer(reaction.count)
            json.name("mine")
            json.bool(reaction.isMine)
            json.endObject()
        }
        json.endArray()
    }

    /// What only some notices have.
    private func write(_ notice: PresenceNotice, into json: inout JSONWriter) {
        if let state = notice.state {
            json.name("state")
            json.raw(state)
        }
        let lists: [(StaticString, [String])] = [
            ("joined", notice.joined), ("left", notice.left), ("timedOut", notice.timedOut),
        ]
        for (name, users) in lists where !users.isEmpty {
            json.name(name)
            json.beginArray()
            for user in users { json.string(user) }
            json.endArray()
        }
        if notice.needsRefresh {
            json.name("needsRefresh")
            json.bool(true)
        }
    }

    private static func write(_ message: Message, into json: inout JSONWriter) {
        json.name("payload")
        json.raw(message.payload)
        if let meta = message.meta {
            json.name("meta")
            json.raw(meta)
        }
        if let type = message.type { json.text("messageType", type) }
    }

    static func write(_ action: MessageAction, into json: inout JSONWriter) {
        json.timetoken("messageTimetoken", action.key.messageTimetoken)
        json.text("type", action.key.type)
        json.text("value", action.key.value)
        json.text("uuid", action.key.uuid)
        json.timetoken("actionTimetoken", action.actionTimetoken)
    }

    func object(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        body(&json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    mutating func text(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    mutating func timetoken(_ name: StaticString, _ timetoken: Timetoken) {
        self.name(name)
        quoted(timetoken.rawValue)
    }
}

extension Event {
    /// What a line for programs calls a message of this kind.
    fileprivate var word: String {
        if case .signal = self { "signal" } else { "message" }
    }
}
