// Events as PubNub's envelopes, and batches of them as one push. An event is JSON text exactly
// once.

import Basis
import EventModel
import JSON

/// An event as the text that every subscriber gets.
struct EncodedEnvelope: Sendable, Hashable {
    let timetoken: Timetoken
    /// Whether a store keeps it.
    let isStored: Bool
    /// What the hub has to know of what it says.
    let subject: Subject
    /// Which messages were deleted, if it says that.
    var deletion: MessageDeletion? {
        if case .deletion(let deletion) = subject { deletion } else { nil }
    }
    var isDeletion: Bool { deletion != nil }
    /// Which actions went all at once, if it says that.
    var clearing: Clearing? {
        if case .clearing(let clearing) = subject { clearing } else { nil }
    }
    /// Whether a long poll gets it: PubNub has no event for what goes all at once.
    var isPolled: Bool {
        switch subject {
        case .deletion, .clearing: false
        case .action, .directory, .other: true
        }
    }
    /// Whether sessions get it: those follow directories themselves.
    var isPushed: Bool { subject != .directory }
    /// Which action it is about and what happened to it, if it is about one.
    var action: ActionChange? {
        if case .action(let change) = subject { change } else { nil }
    }
    /// Whether actions changed, one or any number.
    var isAboutActions: Bool {
        switch subject {
        case .action, .clearing: true
        case .deletion, .directory, .other: false
        }
    }
    /// The message whose actions changed, if it says which.
    var changedMessage: Timetoken? {
        switch subject {
        case .action(let change): change.key.messageTimetoken
        case .clearing(let clearing): clearing.messageTimetoken
        case .deletion, .directory, .other: nil
        }
    }
    /// Whether it is about a message up to there, and none later; nothing is before the beginning.
    func isBefore(_ message: Timetoken) -> Bool {
        subject.isBefore(message, at: timetoken, isStored: isStored)
    }
    /// What the channel's rows come to at this event; only where a commit ends.
    var state: Digest?
    /// One JSON object, as docs/PROTOCOL.md describes it.
    private(set) var json: [UInt8]

    /// Bytes that it takes in an array of them.
    var bytesInMemory: Int {
        let texts: [String?] =
            switch subject {
            case .action(let change): [change.key.type, change.key.value, change.key.uuid]
            case .clearing(let clearing): [clearing.type, clearing.value, clearing.userID]
            case .deletion, .directory, .other: []
            }
        let named = texts.reduce(0) { $0 + ($1.map(HeapBytes.string) ?? 0) }
        return HeapBytes.place(of: Self.self) + HeapBytes.array(json) + named
    }

    /// Whether it is a message that tells of a file.
    let isFile: Bool

    /// Gives the text up; the position stays.
    mutating func discardText() {
        json = []
    }

    init(_ envelope: Envelope) {
        // What grows behind a long text would take twice its bytes.
        var json = JSONWriter(reserving: 256 + envelope.event.longTextBytes)
        encode(envelope, into: &json)
        timetoken = envelope.timetoken
        isStored = envelope.isStored
        isFile =
            if case .message(let message) = envelope.event {
                FileMessage.isType(message.type)
            } else {
                false
            }
        subject = envelope.subject
        self.json = json.bytes
    }
}

extension Envelope {
    /// As ``EncodedEnvelope/isBefore(_:)``: what nobody gets need not be encoded.
    func isBefore(_ message: Timetoken) -> Bool {
        subject.isBefore(message, at: timetoken, isStored: isStored)
    }

    fileprivate var subject: Subject {
        switch event {
        case .actionAdded(let action): .action(ActionChange(action: action, isAdded: true))
        case .actionRemoved(let action): .action(ActionChange(action: action, isAdded: false))
        case .actionsCleared(let clearing): .clearing(clearing)
        case .messagesDeleted(let start, let end):
            .deletion(MessageDeletion(timetoken: timetoken, after: start, through: end))
        case .directory: .directory
        case .message, .signal, .presence: .other
        }
    }
}

extension Event {
    /// Bytes of texts that are longer than most events.
    fileprivate var longTextBytes: Int {
        guard case .message(let message) = self else { return 0 }
        let count = message.payload.utf8.count + (message.meta?.utf8.count ?? 0)
        return count > 64 ? count : 0
    }
}

/// What an event is about.
enum Subject: Sendable, Hashable {
    case action(ActionChange)
    case clearing(Clearing)
    case deletion(MessageDeletion)
    /// What became of a user, a channel or a membership.
    case directory
    case other

    /// Whether an event about it is about a message up to there, and none later.
    ///
    /// - Parameters: Of the event.
    fileprivate func isBefore(
        _ message: Timetoken, at timetoken: Timetoken, isStored: Bool
    ) -> Bool {
        guard message > .zero else { return false }
        return switch self {
        case .action(let change): change.key.messageTimetoken <= message
        case .other: isStored && timetoken <= message
        case .deletion, .clearing, .directory: false
        }
    }
}

/// What happened to which action.
struct ActionChange: Sendable, Hashable {
    let action: MessageAction
    let isAdded: Bool

    var key: MessageAction.Key { action.key }
}

extension Collection<EncodedEnvelope> where Self: BidirectionalCollection {
    /// What the channel's rows come to after these events; `nil` amid a commit.
    ///
    /// What is not stored moves no cursor, and so no state.
    var state: Digest? { last(where: \.isStored)?.state }
}

extension JSONWriter {
    /// Writes a push: the events of one channel, ending at `cursor`.
    ///
    /// - Parameter state: What the channel's rows come to at `cursor`, if that is known.
    mutating func push(
        _ envelopes: some Sequence<EncodedEnvelope>, of channel: Channel, cursor: Timetoken,
        state: Digest? = nil, window: BatchWindow? = nil
    ) {
        beginObject()
        name("t")
        position(cursor)
        member("c", channel.name)
        beginArray("m")
        for envelope in envelopes { raw(envelope.json) }
        endArray()
        if let state { self.state(state) }
        if let window {
            beginObject("window")
            member("after", quoted: window.after.rawValue)
            if let rest = window.rest { self.state(rest, as: "rest") }
            endObject()
        }
        endObject()
    }

    /// Writes what a channel's actions come to into the object that is open.
    mutating func state(_ state: Digest, as name: StaticString = "s") {
        beginObject(name)
        member("n", state.count)
        member("d", state.text)
        endObject()
    }

    /// Writes what an action consists of into the object that is open.
    mutating func members(of action: MessageAction, namingUser: Bool) {
        member("messageTimetoken", quoted: action.key.messageTimetoken.rawValue)
        member("type", action.key.type)
        member("value", action.key.value)
        if namingUser {
            member("uuid", action.key.uuid)
        }
        member("actionTimetoken", quoted: action.actionTimetoken.rawValue)
        if action.score != 1 { member("score", action.score) }
    }

    /// A timetoken with PubNub's region, which is always 1 here.
    mutating func position(_ timetoken: Timetoken) {
        beginObject()
        member("t", quoted: timetoken.rawValue)
        member("r", 1)
        endObject()
    }
}

private func encode(_ envelope: Envelope, into json: inout JSONWriter) {
    json.beginObject()
    json.member("a", "1")
    json.member("f", envelope.isStored ? 0 : 1)
    json.member("e", envelope.event.kind)
    if !envelope.uuid.isEmpty {
        json.member("i", envelope.uuid)
    }
    json.name("p")
    json.position(envelope.timetoken)
    json.member("k", envelope.channel.keyset)
    json.member("c", envelope.channel.name)
    switch envelope.event {
    case .message(let message), .signal(let message): encode(message, into: &json)
    case .actionAdded(let action): encode(action, event: "added", into: &json)
    case .actionRemoved(let action): encode(action, event: "removed", into: &json)
    case .messagesDeleted(let start, let end):
        encodeDeletion(after: start, through: end, gone: envelope.gone, into: &json)
    case .actionsCleared(let clearing): encode(clearing, gone: envelope.gone, into: &json)
    case .presence(let notice):
        json.name("d")
        encode(notice, into: &json)
    case .directory(let notice):
        json.name("d")
        json.write(notice)
    }
    json.endObject()
}

extension Event {
    /// PubNub's number for what an envelope holds; absent for messages and presence.
    ///
    /// 5 is not PubNub's: its SDKs never get one, because a long poll leaves deletions out; and
    /// clearings, which are no event of PubNub's either.
    fileprivate var kind: Int? {
        switch self {
        case .message, .presence: nil
        case .signal: 1
        case .directory: 2
        case .actionAdded, .actionRemoved, .actionsCleared: 3
        case .messagesDeleted: 5
        }
    }
}

private func encodeDeletion(
    after start: Timetoken, through end: Timetoken, gone: Digest?, into json: inout JSONWriter
) {
    json.beginObject("d")
    json.member("source", "messages")
    json.member("version", "1.0")
    json.member("event", "deleted")
    json.beginObject("data")
    json.member("after", quoted: start.rawValue)
    json.member("through", quoted: end.rawValue)
    if let gone { json.state(gone, as: "gone") }
    json.endObject()
    json.endObject()
}

private func encode(_ clearing: Clearing, gone: Digest?, into json: inout JSONWriter) {
    json.beginObject("d")
    json.member("source", "actions")
    json.member("version", "1.0")
    json.member("event", "cleared")
    json.beginObject("data")
    json.members(of: clearing)
    if let gone { json.state(gone, as: "gone") }
    json.endObject()
    json.endObject()
}

extension JSONWriter {
    /// Writes which actions are meant, into the object that is open.
    mutating func members(of clearing: Clearing) {
        member("messageTimetoken", quoted: clearing.messageTimetoken?.rawValue)
        member("type", clearing.type)
        member("value", clearing.value)
        member("uuid", clearing.userID)
    }
}

private func encode(_ notice: PresenceNotice, into json: inout JSONWriter) {
    json.beginObject()
    json.member("action", notice.action.rawValue)
    json.member("uuid", notice.userID)
    json.member("timestamp", notice.seconds)
    json.member("occupancy", notice.occupancy)
    json.member("data", raw: notice.state)
    encode(notice.joined, as: "join", into: &json)
    encode(notice.left, as: "leave", into: &json)
    encode(notice.timedOut, as: "timeout", into: &json)
    if notice.needsRefresh {
        json.member("here_now_refresh", true)
    }
    json.endObject()
}

private func encode(_ users: [String], as name: StaticString, into json: inout JSONWriter) {
    guard !users.isEmpty else { return }
    json.member(name, users)
}

private func encode(_ message: Message, into json: inout JSONWriter) {
    json.member("d", raw: message.payload)
    json.member("u", raw: message.meta)
    json.member("cmt", message.type)
    json.member("parent", quoted: message.parent?.rawValue)
}

private func encode(_ action: MessageAction, event: String, into json: inout JSONWriter) {
    json.beginObject("d")
    json.member("source", "actions")
    json.member("version", "1.0")
    json.member("event", event)
    json.beginObject("data")
    json.members(of: action, namingUser: false)  // The envelope names the user.
    json.endObject()
    json.endObject()
}
