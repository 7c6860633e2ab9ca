// What each example of docs/PROTOCOL.md says, as values: the client and the daemon must agree with
// it.

import EventModel

/// The examples, by the id of their command.
public enum ProtocolExample {
    static let ada = MessageAction.Key(
        messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
        uuid: "ada")
    static let bob = MessageAction.Key(
        messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
        uuid: "bob")
    static let added = Timetoken(rawValue: 17_952_187_953_730_012)
    static let removed = Timetoken(rawValue: 17_952_187_953_730_099)
    static let start = Timetoken(rawValue: 17_952_187_953_729_261)
    static let bobs = MessageAction(key: bob, actionTimetoken: added)
    static let bobsPlace = ActionsPlace.value(
        type: bob.type, value: bob.value, userID: bob.uuid)
    static let epoch = "6f1c0e5b9a7d42d3.07c1a5e2"
    static let key = DigestKey("4b1d0fe26a9c73588e05d7b1c3fa2964")
    /// What the channel comes to with ada's message alone, under `key`.
    static let one: Digest = {
        var digest = Digest()
        let message = MessageRow(timetoken: ada.messageTimetoken, uuid: "ada", type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// The same with bob's action.
    static let two: Digest = {
        var digest = one
        if let key { digest.insert(bobs, key: key) }
        return digest
    }()
    /// An earlier message, in another segment.
    static let ahoy = StoredMessage(
        timetoken: Timetoken(rawValue: 17_952_187_953_729_200), uuid: "bob",
        message: Message(payload: #"{"text":"ahoy"}"#))
    static let boundary = Timetoken(rawValue: 17_952_187_953_729_998)
    /// What that message comes to.
    static let rest: Digest = {
        var digest = Digest()
        let message = MessageRow(timetoken: ahoy.timetoken, uuid: ahoy.uuid, type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// What all of the channel comes to.
    static let three: Digest = {
        var digest = two
        let message = MessageRow(timetoken: ahoy.timetoken, uuid: ahoy.uuid, type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// What the channel's people said of ada's message.
    static let summary: MessageSummary = {
        var state = SummaryState()
        if let key {
            state.insert(
                type: "reaction", value: "👍", ActionTotals(count: 2, score: 6), key: key)
        }
        return MessageSummary(
            messageTimetoken: ada.messageTimetoken, position: removed,
            groups: [
                MessageSummary.Group(
                    type: "reaction", value: "👍", count: 2, score: 6, first: added,
                    last: removed, authors: ["ada", "bob"])
            ], state: state)
    }()
    /// Stands on a device whose cache is wrong.
    static let adas = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: ada.messageTimetoken, type: "reaction", value: "👎", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 17_952_187_953_730_010))
    /// What that device sends for its repair.
    static let adasSymbols: RatelessEncoder = {
        var encoder = RatelessEncoder(0..<3)
        if let key { encoder.insert(RepairItem(adas, key: key)) }
        return encoder
    }()
    /// The same of its segments' states: it has one.
    static let adasSegments: RatelessEncoder = {
        var encoder = RatelessEncoder(0..<2)
        if let key {
            var state = Digest.empty
            state.insert(adas, key: key)
            encoder.insert(RepairItem(segmentAfter: .zero, state, key: key))
        }
        return encoder
    }()
    /// What that device asks for.
    static let bobsWish: WantedRow = {
        let tag = key.map { RowHash(bobs, key: $0).tag } ?? 0
        return WantedRow(timetoken: added, tag: tag)
    }()
    /// What the server has of a stretch in which nothing but that stands.
    static let adasStretch: StretchState = {
        var state = StretchState.empty
        if let key { state.insert(RowHash(adas, key: key), at: adas.actionTimetoken) }
        return state
    }()
    static let live = ActionsQuery(
        channel: "room", messageTimetoken: ada.messageTimetoken, types: ["reaction"],
        values: ["👍"], isDescending: true, limit: 1, live: .begin)
    static let nextOfLive: ActionsQuery = {
        var query = live
        (query.after, query.live) = (.time(removed), .extend(1))
        return query
    }()
    static let hi = Message(
        payload: #"{"text":"hi"}"#, meta: #"{"lang":"en"}"#, type: "text")
    static let cleared = Timetoken(rawValue: 17_952_187_953_730_190)
    static let reply = Timetoken(rawValue: 17_952_187_953_730_303)
    static let deleted = Timetoken(rawValue: 17_952_187_953_730_150)
}
