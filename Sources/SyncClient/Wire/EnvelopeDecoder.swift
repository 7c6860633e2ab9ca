// One event of a push as a value, or why it is none. Tests/Fixtures/events.json has every shape.

import EventModel
import JSON

/// Reads the events of one channel's push.
struct EnvelopeDecoder {
    let channel: Channel

    func envelope(_ value: borrowing JSONValue) throws(JSONError) -> Envelope {
        guard value.isObject else { throw .wrongType("m", expected: "a list of objects") }
        let timetoken = try value.object("p").timetoken("t")
        guard try Channel(value.string("c"), keyset: channel.keyset) == channel else {
            throw .wrongType("c", expected: "the channel of the push")
        }
        let uuid = try value.optionalString("i") ?? ""
        let isStored: Bool
        switch try value.integer("f") {
        case 0: isStored = true
        case 1: isStored = false
        default: throw .wrongType("f", expected: "0 or 1")
        }
        let event = try event(value, by: uuid, isStored: isStored)
        return Envelope(
            channel: channel, timetoken: timetoken, uuid: uuid, event: event, isStored: isStored,
            gone: try gone(by: event, value))
    }

    private func gone(
        by event: Event, _ value: borrowing JSONValue
    ) throws(JSONError) -> Digest? {
        switch event {
        case .messagesDeleted, .actionsCleared:
            try value.object("d").object("data").state("gone")
        case .message, .actionAdded, .actionRemoved, .signal, .presence, .directory: nil
        }
    }

    private func event(
        _ value: borrowing JSONValue, by uuid: String, isStored: Bool
    ) throws(JSONError) -> Event {
        let kind = try value.optionalInteger("e") ?? 0
        switch (kind, isStored) {
        case (0, false) where channel.isPresence: return try presence(value.object("d"))
        case (0...1, _) where channel.isPresence:
            throw .wrongType("f", expected: "1, and \"e\" absent, in a presence channel")
        case (0, _): return .message(try message(value))
        case (1, false): return .signal(try message(value))
        case (3, true): return try action(value.object("d"), by: uuid)
        case (5, true): return try deletion(value.object("d"))
        case (1, true): throw .wrongType("f", expected: "1 for a signal")
        case (3, false), (5, false): throw .wrongType("f", expected: "0 for what is stored")
        default: throw .wrongType("e", expected: "absent, 1, 3 or 5")
        }
    }

    private func message(_ value: borrowing JSONValue) throws(JSONError) -> Message {
        // `null` is a payload like any other.
        guard value.has("d") else { throw .missingField("d", expected: "any JSON value") }
        return Message(
            payload: value.text("d") ?? "null", meta: value.text("u"),
            type: try value.optionalString("cmt"), parent: try value.optionalTimetoken("parent"))
    }

    private func action(
        _ payload: borrowing JSONValue, by uuid: String
    ) throws(JSONError) -> Event {
        let data = try payload.object("data")
        switch try payload.string("event") {
        case "added": return .actionAdded(try data.action(by: uuid))
        case "removed": return .actionRemoved(try data.action(by: uuid))
        case "cleared": return .actionsCleared(try data.clearing())
        default: throw .wrongType("event", expected: "added, removed or cleared")
        }
    }

    private func deletion(_ payload: borrowing JSONValue) throws(JSONError) -> Event {
        guard try payload.string("event") == "deleted" else {
            throw .wrongType("event", expected: "deleted")
        }
        let range = try payload.object("data")
        return .messagesDeleted(
            after: try range.timetoken("after"), through: try range.timetoken("through"))
    }

    private func presence(_ payload: borrowing JSONValue) throws(JSONError) -> Event {
        guard let action = PresenceNotice.Action(rawValue: try payload.string("action")) else {
            throw .wrongType("action", expected: "a word that docs/PROTOCOL.md names")
        }
        let user = try payload.optionalString("uuid")
        guard user != nil || action == .interval else {
            throw .missingField("uuid", expected: "the user whom it is about")
        }
        var notice = PresenceNotice(
            action: action, userID: user, occupancy: Int(try payload.amount("occupancy")),
            seconds: UInt64(try payload.amount("timestamp")))
        if payload.member("data") != nil { notice.state = try payload.object("data").compactText }
        notice.joined = try payload.names("join")
        notice.left = try payload.names("leave")
        notice.timedOut = try payload.names("timeout")
        notice.needsRefresh = payload.member("here_now_refresh")?.bool == true
        return .presence(notice)
    }
}

extension JSONValue {
    /// An integer of 0 or more that must be there.
    fileprivate func amount(_ name: String) throws(JSONError) -> Int64 {
        let number = try integer(name)
        guard number >= 0 else { throw .wrongType(name, expected: "0 or more") }
        return number
    }

    /// What a clearing covers: what is absent may be anything, but not all may be.
    func clearing() throws(JSONError) -> Clearing {
        let clearing = Clearing(
            messageTimetoken: try optionalTimetoken("messageTimetoken"),
            type: try optionalString("type"), value: try optionalString("value"),
            userID: try optionalString("uuid"))
        guard clearing.messageTimetoken != nil || clearing.value != nil || clearing.userID != nil
        else { throw .missingField("messageTimetoken", expected: "it, a value or a uuid") }
        return clearing
    }

    /// A list of strings; empty when absent or `null`.
    fileprivate func names(_ name: String) throws(JSONError) -> [String] {
        guard member(name) != nil else { return [] }
        let list = try array(name)
        var names: [String] = []
        for index in 0..<list.count {
            guard let text = list.element(at: index).string else {
                throw .wrongType(name, expected: "a list of strings")
            }
            names.append(text)
        }
        return names
    }
}
