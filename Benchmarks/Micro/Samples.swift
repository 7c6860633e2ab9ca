// Events and commands as people send them.

import EventModel

@testable import SyncDaemon

/// What the operations are performed on.
enum Samples {
    static let channel = Channel("chat.room.7")

    /// A message whose envelope has this many bytes of JSON.
    ///
    /// - Parameter bytes: At least what is around a payload, about 130.
    static func message(bytes: Int, in channel: Channel, at timetoken: UInt64) -> Envelope {
        let empty = EncodedEnvelope(message(#""""#, in: channel, at: timetoken))
        let padding = String(repeating: "x", count: max(0, bytes - empty.json.count))
        return message("\"\(padding)\"", in: channel, at: timetoken)
    }

    static func message(_ payload: String, in channel: Channel, at timetoken: UInt64) -> Envelope {
        Envelope(
            channel: channel, timetoken: Timetoken(rawValue: timetoken), uuid: "user-4711",
            event: .message(Message(payload: payload)))
    }

    /// Reactions of many users to one message, each at a timetoken of its own.
    static func reactions(_ count: Int) -> [MessageAction] {
        (0..<UInt64(count)).map { number in
            MessageAction(
                key: MessageAction.Key(
                    messageTimetoken: Timetoken(rawValue: firstTimetoken), type: "reaction",
                    value: "👍", uuid: "user-\(1000 + number)"),
                actionTimetoken: Timetoken(rawValue: firstTimetoken + 1 + number))
        }
    }

    static func added(_ action: MessageAction) -> Envelope {
        Envelope(
            channel: channel, timetoken: action.actionTimetoken, uuid: action.key.uuid,
            event: .actionAdded(action))
    }

    /// What a channel with some rows stands at.
    static let state = Digest("0f1e2d3c4b5a69788796a5b4c3d2e1f0", count: 1200)

    /// In November 2026, so that it has as many digits as real ones.
    static let firstTimetoken: UInt64 = 17_952_187_953_729_261

    static let publish = #"""
        {"id":5,"op":"publish","channel":"chat.room.7","payload":{"text":"hi"},\#
        "meta":{"lang":"en"},"messageType":"text","mutation":"m-1"}
        """#

    static let addAction = #"""
        {"id":6,"op":"addAction","channel":"chat.room.7",\#
        "messageTimetoken":"17952187953729999","type":"reaction","value":"👍","mutation":"m-2"}
        """#
}
