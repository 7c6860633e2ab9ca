// What the pushes of docs/PROTOCOL.md say, as values.

public import EventModel

extension ProtocolExample {
    /// What the example pushes say, in their order.
    public static let pushes: [Batch] = [
        Batch(
            channel: Channel("room").presence, cursor: deleted,
            envelopes: [
                Envelope(
                    channel: Channel("room").presence,
                    timetoken: Timetoken(rawValue: 17_952_187_953_730_210), uuid: "",
                    event: .presence(
                        PresenceNotice(
                            action: .join, userID: "ada", occupancy: 1, seconds: 1_795_218_795,
                            state: #"{"mood":"👍"}"#)), isStored: false)
            ]),
        Batch(
            channel: Channel("room"), cursor: added,
            envelopes: [
                Envelope(
                    channel: Channel("room"), timetoken: ada.messageTimetoken, uuid: "ada",
                    event: .message(Message(payload: #"{"text":"hi"}"#))),
                Envelope(
                    channel: Channel("room"), timetoken: added, uuid: "bob",
                    event: .actionAdded(bobs)),
            ], state: two),
        Batch(
            channel: Channel("room"), cursor: removed,
            envelopes: [
                Envelope(
                    channel: Channel("room"), timetoken: removed, uuid: "bob",
                    event: .actionRemoved(bobs))
            ], state: one),
        Batch(
            channel: Channel("room"), cursor: deleted,
            envelopes: [
                Envelope(
                    channel: Channel("room"), timetoken: deleted, uuid: "",
                    event: .messagesDeleted(after: .zero, through: ada.messageTimetoken), gone: one)
            ]),
        Batch(
            channel: Channel("room"), cursor: deleted,
            envelopes: [
                Envelope(
                    channel: Channel("room"),
                    timetoken: Timetoken(rawValue: 17_952_187_953_730_200), uuid: "bob",
                    event: .signal(Message(payload: #""typing""#)), isStored: false)
            ]),
        Batch(
            channel: Channel("room"), cursor: cleared,
            envelopes: [
                Envelope(
                    channel: Channel("room"), timetoken: cleared, uuid: "",
                    event: .actionsCleared(Clearing(type: "reaction", value: "👎")),
                    gone: Digest("7ec8a6737c3c2d39149fb0dd0bd22ee1", count: 1))
            ], state: two),
        Batch(
            channel: Channel("room"), cursor: added,
            envelopes: [
                Envelope(
                    channel: Channel("room"), timetoken: added, uuid: "bob",
                    event: .actionAdded(bobs))
            ], state: three, window: BatchWindow(after: ahoy.timetoken, rest: rest)),
    ]
}
