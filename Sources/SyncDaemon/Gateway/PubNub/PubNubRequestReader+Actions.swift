// Message actions: add, remove, read.

import EventModel
import JSON

extension PubNubRequestReader {
    func addAction() throws(PubNubError) -> PubNubRequest.Endpoint {
        let channel = try writableChannel()
        let timetoken = try messageTimetoken()
        let bytes: [UInt8]
        switch RequestBody.inflated(body, limit: Limits.frameBytesMax) {
        case .failure(.tooLarge): throw .actionTooLarge
        case .failure(.malformed): throw .actionIsNotJSON
        case .success(let inflated): bytes = inflated
        }
        let fields: JSONValue
        do throws(JSONError) {
            fields = try unsafe JSONValue(parsing: bytes.span.bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            guard case .tooDeep(let limit) = error else { throw .actionIsNotJSON }
            throw .invalidAction("At most \(limit) levels of nesting.", "body", in: "body")
        }
        return .addAction(
            channel: channel, messageTimetoken: timetoken,
            type: try field("type", of: fields, bytesMax: Limits.actionTypeBytesMax),
            value: try field("value", of: fields, bytesMax: Limits.actionValueBytesMax))
    }

    /// A string of the body; whatever else it has is the caller's own.
    private func field(
        _ name: String, of fields: borrowing JSONValue, bytesMax: Int
    ) throws(PubNubError) -> String {
        guard let member = fields.member(name) else {
            throw .invalidAction("Missing field", name, in: "body")
        }
        guard let text = member.string, (1...bytesMax).contains(text.utf8.count) else {
            throw .invalidAction(
                "Must be a string of 1 to \(bytesMax) bytes.", name, in: "body")
        }
        guard !text.utf8.contains(0) else {
            throw .invalidAction("Must not hold U+0000.", name, in: "body")
        }
        return text
    }

    /// The message need not exist, but the store must be able to hold its position.
    private func messageTimetoken() throws(PubNubError) -> Timetoken {
        guard let timetoken = Timetoken(pubNub: try text("message")) else {
            throw wrong(
                "messageTimetoken", "a timetoken of 1 to 20 digits, up to 2^63-1", in: "path")
        }
        return timetoken
    }

    func removeAction() throws(PubNubError) -> PubNubRequest.Endpoint {
        let channel = try channel()
        let messageTimetoken = try messageTimetoken()
        guard let actionTimetoken = Timetoken(bound: try text("action")) else {
            throw wrongTimetoken("actionTimetoken", in: "path")
        }
        return .removeAction(
            channel: channel, messageTimetoken: messageTimetoken, actionTimetoken: actionTimetoken)
    }

    func actionsPage() throws(PubNubError) -> PubNubRequest.ActionsPageRequest {
        let limitMax = Limits.pubNubPageMax
        return PubNubRequest.ActionsPageRequest(
            channel: try channel(), start: try bound("start"), end: try bound("end"),
            limit: try integer("limit", in: 1...limitMax) ?? limitMax)
    }
}
