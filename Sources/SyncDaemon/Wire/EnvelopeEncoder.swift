// Events as PubNub's envelopes, and batches of them as one push. An event is JSON text exactly
// once.

import EventModel
import JSON

/// An event as the text that every subscriber gets.
struct EncodedEnvelope: Sendable, Hashable {
    let timetoken: Timetoken
    /// One JSON object, as docs/PROTOCOL.md describes it.
    private(set) var json: [UInt8]

    /// Gives the text up; the position stays.
    mutating func discardText() {
        json = []
    }

    init(_ envelope: Envelope) {
        var json = JSONWriter(reserving: 256)
        encode(envelope, into: &json)
        timetoken = envelope.timetoken
        self.json = json.bytes
    }
}

extension JSONWriter {
    /// Writes a push: the events of one channel, ending at `cursor`.
    mutating func push(
        _ envelopes: some Sequence<EncodedEnvelope>, of channel: Channel, cursor: Timetoken
    ) {
        beginObject()
        name("t")
        position(cursor)
        name("c")
        string(channel.name)
        name("m")
        beginArray()
        for envelope in envelopes { raw(envelope.json) }
        endArray()
        endObject()
    }

    /// Writes what an action consists of into the object that is open.
    mutating func members(of action: MessageAction, namingUser: Bool) {
        name("messageTimetoken")
        quoted(action.key.messageTimetoken.rawValue)
        name("type")
        string(action.key.type)
        name("value")
        string(action.key.value)
        if namingUser {
            name("uuid")
            string(action.key.uuid)
        }
        name("actionTimetoken")
        quoted(action.actionTimetoken.rawValue)
    }

    /// A timetoken with PubNub's region, which is always 1 here.
    fileprivate mutating func position(_ timetoken: Timetoken) {
        beginObject()
        name("t")
        quoted(timetoken.rawValue)
        name("r")
        integer(1)
        endObject()
    }
}

private func encode(_ envelope: Envelope, into json: inout JSONWriter) {
    json.beginObject()
    json.name("a")
    json.string("1")
    json.name("f")
    json.integer(0)
    switch envelope.event {
    case .message: break
    case .actionAdded, .actionRemoved:
        json.name("e")
        json.integer(3)
    }
    json.name("i")
    json.string(envelope.uuid)
    json.name("p")
    json.position(envelope.timetoken)
    json.name("k")
    json.string(envelope.channel.keyset)
    json.name("c")
    json.string(envelope.channel.name)
    switch envelope.event {
    case .message(let message): encode(message, into: &json)
    case .actionAdded(let action): encode(action, event: "added", into: &json)
    case .actionRemoved(let action): encode(action, event: "removed", into: &json)
    }
    json.endObject()
}

private func encode(_ message: Message, into json: inout JSONWriter) {
    json.name("d")
    json.raw(message.payload)
    if let meta = message.meta {
        json.name("u")
        json.raw(meta)
    }
    if let type = message.type {
        json.name("cmt")
        json.string(type)
    }
}

private func encode(_ action: MessageAction, event: String, into json: inout JSONWriter) {
    json.name("d")
    json.beginObject()
    json.name("source")
    json.string("actions")
    json.name("version")
    json.string("1.0")
    json.name("event")
    json.string(event)
    json.name("data")
    json.beginObject()
    json.members(of: action, namingUser: false)  // The envelope names the user.
    json.endObject()
    json.endObject()
}
