// Commands about one message that stands.

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
