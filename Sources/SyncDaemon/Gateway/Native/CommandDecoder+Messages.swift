// Commands about one message that stands, and a moderator's.

import EventModel
import JSON

extension CommandDecoder {
    static func edit(_ json: borrowing JSONValue) throws(ProtocolError) -> EditRequest {
        EditRequest(
            channel: try json.channelName("channel"),
            messageTimetoken: try json.timetoken("messageTimetoken"),
            payload: try json.payload(),
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }

    /// The message whose thread is meant.
    static func parent(_ json: borrowing JSONValue) throws(ProtocolError) -> Timetoken? {
        let parent = try json.optionalTimetoken("parent")
        guard parent != .zero else {
            throw .invalidField("parent", "the timetoken of a message")
        }
        return parent
    }

    static func clearing(_ json: borrowing JSONValue) throws(ProtocolError) -> ClearingRequest {
        let message = try json.optionalTimetoken("messageTimetoken")
        guard message != .zero else {
            throw .invalidField("messageTimetoken", "the timetoken of a message")
        }
        var type = try json.optionalText("type", bytesMax: Limits.actionTypeBytesMax)
        let value = try json.optionalText("value", bytesMax: Limits.actionValueBytesMax)
        let user = try json.optionalText("userId", bytesMax: Limits.identifierBytesMax)
        // All of a channel is nobody's wish, and more than one of a type may be meant by mistake.
        guard message != nil || value != nil || user != nil else {
            throw ProtocolError(
                .missingField(
                    "messageTimetoken", expected: "a message, or there must be a value or a userId")
            )
        }
        if value != nil, type == nil { type = ReactionRules.type }
        return ClearingRequest(
            channel: try json.channelName("channel"),
            clearing: Clearing(messageTimetoken: message, type: type, value: value, userID: user),
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }

    static func ownDeletion(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> OwnDeletionRequest {
        let message = try json.timetoken("messageTimetoken")
        guard message > .zero else {
            throw .invalidField("messageTimetoken", "the timetoken of a message")
        }
        return OwnDeletionRequest(
            channel: try json.channelName("channel"), messageTimetoken: message,
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }
}
