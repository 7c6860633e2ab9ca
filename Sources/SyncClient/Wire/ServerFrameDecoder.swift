// The daemon's JSON of docs/PROTOCOL.md as values.

import EventModel
import JSON

/// Reads what the daemon sends.
///
/// Members that it does not know are ignored, and so are events of kinds that it does not know: a
/// newer daemon may send them.
struct ServerFrameDecoder {
    /// The tenant of the session; frames name it only for PubNub's parsers.
    let keyset: String

    /// Reads one message.
    ///
    /// - Parameter kind: The command that an id belongs to; `nil` when nobody waits for it.
    func decode(
        _ bytes: [UInt8], kind: (CommandID) -> CommandKind?
    ) throws(FrameError) -> ServerFrame {
        do throws(JSONError) {
            let frame = try unsafe JSONValue(
                parsing: bytes.span.bytes, depthMax: ClientLimits.jsonDepthMax)
            guard frame.isObject else {
                throw .wrongType("(the frame)", expected: "an object")
            }
            if frame.member("t") != nil { return .push(try batch(frame)) }
            return try reply(frame, kind: kind)
        } catch {
            throw FrameError(description: error.description)
        }
    }

    private func reply(
        _ frame: borrowing JSONValue, kind: (CommandID) -> CommandKind?
    ) throws(JSONError) -> ServerFrame {
        let id = try frame.optionalInteger("id")
        if let error = frame.member("error") {
            let refusal = ProtocolError(
                status: Int(try error.integer("status")), code: try error.string("code"),
                message: try error.string("message"))
            return id.map { .reply($0, .failure(refusal)) } ?? .complaint(refusal)
        }
        guard let id else { throw .missingField("id", expected: "an integer") }
        let result = try frame.object("ok")
        guard let kind = kind(id) else { return .lateReply(id) }
        return .reply(id, .success(try ReplyDecoder(keyset: keyset).reply(result, to: kind)))
    }

    // MARK: Pushes

    private func batch(_ frame: borrowing JSONValue) throws(JSONError) -> Batch {
        let channel = Channel(try frame.string("c"), keyset: keyset)
        let cursor = try frame.object("t").timetoken("t")
        let events = try frame.array("m")
        var envelopes: [Envelope] = []
        envelopes.reserveCapacity(events.count)
        for index in 0..<events.count {
            guard let envelope = try envelope(events.element(at: index), in: channel) else {
                continue
            }
            envelopes.append(envelope)
        }
        return Batch(
            channel: channel, cursor: cursor, envelopes: envelopes, state: try frame.state())
    }

    private func envelope(
        _ value: borrowing JSONValue, in channel: Channel
    ) throws(JSONError) -> Envelope? {
        let uuid = try value.optionalString("i") ?? ""
        guard let event = try event(value, by: uuid) else { return nil }
        return Envelope(
            channel: channel, timetoken: try value.object("p").timetoken("t"), uuid: uuid,
            event: event, isStored: try value.optionalInteger("f") ?? 0 == 0)
    }

    private func event(
        _ value: borrowing JSONValue, by uuid: String
    ) throws(JSONError) -> Event? {
        switch try value.optionalInteger("e") {
        case nil, 0:
            return .message(try message(value))
        case 1:
            return .signal(try message(value))
        case 3:
            return try actionEvent(try value.object("d"), by: uuid)
        case 5:
            let range = try value.object("d").object("data")
            return .messagesDeleted(
                after: try range.timetoken("after"), through: try range.timetoken("through"))
        default:
            return nil
        }
    }

    private func message(_ value: borrowing JSONValue) throws(JSONError) -> Message {
        Message(
            payload: value.text("d") ?? "null", meta: value.text("u"),
            type: try value.optionalString("cmt"))
    }

    private func actionEvent(
        _ payload: borrowing JSONValue, by uuid: String
    ) throws(JSONError) -> Event? {
        let action = try payload.object("data").action(by: uuid)
        switch try payload.string("event") {
        case "added": return .actionAdded(action)
        case "removed": return .actionRemoved(action)
        default: return nil
        }
    }
}

extension JSONValue {
    /// A member of any kind as compact text; `nil` when absent or `null`.
    func text(_ name: String) -> String? {
        guard let member = member(name) else { return nil }
        return member.compactText
    }

    func timetoken(_ name: String) throws(JSONError) -> Timetoken {
        guard let timetoken = try optionalTimetoken(name) else {
            throw .missingField(name, expected: "a timetoken")
        }
        return timetoken
    }

    func optionalTimetoken(_ name: String) throws(JSONError) -> Timetoken? {
        guard let text = try optionalString(name) else { return nil }
        guard let timetoken = Timetoken(text) else {
            throw .wrongType(name, expected: "a string of 1 to 19 digits")
        }
        return timetoken
    }

    /// What a channel's actions come to, in the member `s`; `nil` when absent.
    func state() throws(JSONError) -> Digest? {
        guard member("s") != nil else { return nil }
        let state = try object("s")
        guard let digest = Digest(try state.string("d"), count: try state.integer("n")) else {
            throw .wrongType("d", expected: "a string of 32 hexadecimal digits")
        }
        return digest
    }

    func action(by uuid: String) throws(JSONError) -> MessageAction {
        let key = MessageAction.Key(
            messageTimetoken: try timetoken("messageTimetoken"), type: try string("type"),
            value: try string("value"), uuid: uuid)
        return MessageAction(key: key, actionTimetoken: try timetoken("actionTimetoken"))
    }
}
