// What the tests of formats write of.

import EventModel

/// A message in a room, and what happens to it.
protocol FormatSamples {}

extension FormatSamples {
    var room: Channel { Channel("room") }
    var message: Timetoken { Timetoken(rawValue: 100) }

    func envelope(_ timetoken: UInt64, _ uuid: String, _ event: Event) -> Envelope {
        Envelope(
            channel: room, timetoken: Timetoken(rawValue: timetoken), uuid: uuid, event: event)
    }

    func action(
        _ value: String, _ uuid: String, at timetoken: UInt64, type: String = "reaction"
    ) -> MessageAction {
        MessageAction(
            key: .init(messageTimetoken: message, type: type, value: value, uuid: uuid),
            actionTimetoken: Timetoken(rawValue: timetoken))
    }
}
