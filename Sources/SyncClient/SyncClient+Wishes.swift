// What a user wishes in a followed channel: checked here, decided and kept by the device.

import EventModel
import JSON

extension SyncClient {
    func wish(
        _ value: String, type: String, isPresent: Bool, score: Int? = nil,
        on message: Timetoken, in channel: String
    ) throws(SyncClientError) {
        try Self.checkReaction(value, type: type, isNew: isPresent, score: score)
        if !isPresent { try checkList(of: channel) }
        let value = spelling(of: value, type: type, on: message, in: channel)
        let mutation = nextMutation()
        try check(
            .removeAction(
                RemovalRequest(
                    action: ActionRequest(
                        channel: channel, messageTimetoken: message, type: type, value: value,
                        mutation: mutation), actionTimetoken: message)))
        let key = MessageAction.Key(
            messageTimetoken: message, type: type, value: value, uuid: device.user)
        try checkRoom(for: key, in: channel)
        run {
            $0.wish(
                value, type: type, isPresent: isPresent, score: score, on: message, in: channel,
                mutation: mutation)
        }
        try checkOpen()
    }

    func toggle(
        _ value: String, type: String, on message: Timetoken, in channel: String
    ) throws(SyncClientError) -> Bool {
        try checkList(of: channel)
        let value = spelling(of: value, type: type, on: message, in: channel)
        let key = MessageAction.Key(
            messageTimetoken: message, type: type, value: value, uuid: device.user)
        let isPresent = device.standing(of: key, in: channel) == .absent
        try wish(value, type: type, isPresent: isPresent, on: message, in: channel)
        return isPresent
    }

    /// Without a list nobody knows whether something stands.
    private func checkList(of channel: String) throws(SyncClientError) {
        try checkOpen()
        guard device.channel(channel)?.isTail == false else { throw .followedOtherwise(channel) }
    }

    /// What stands there decides: what others added in another spelling can be taken up, and one's
    /// own be removed.
    private func spelling(
        of value: String, type: String, on message: Timetoken, in channel: String
    ) -> String {
        guard type == "reaction" else { return value }
        let standing = device.channel(channel)?.base.cache.actionsByMessage[message]
        let isThere = standing?.hasGroup(type: type, value: value) ?? false
        return isThere ? value : ReactionValue.canonical(value)
    }

    func enqueue(_ message: Message, in channel: String) throws(SyncClientError) {
        // As the daemon will write it, so that the device knows its own message again.
        let compact = Message(
            payload: try Self.compact(message.payload), meta: try message.meta.map(Self.compact),
            type: message.type, parent: message.parent)
        let mutation = nextMutation()
        try check(
            .publish(PublishRequest(channel: channel, message: compact, mutation: mutation)))
        try checkRoom(for: nil, in: channel)
        run { $0.publish(compact, in: channel, mutation: mutation) }
        try checkOpen()
    }

    private func checkRoom(
        for key: MessageAction.Key?, in channel: String
    ) throws(SyncClientError) {
        guard device.hasRoom(for: key, in: channel) else {
            throw .outboxFull(max: Limits.outboxEntriesMax)
        }
    }

    static func compact(_ json: String) throws(SyncClientError) -> String {
        do throws(JSONError) {
            return try JSONValue(parsing: json, depthMax: Limits.jsonDepthMax).compactText
        } catch {
            throw .refused(
                ProtocolError(status: 400, code: "not_json", message: error.description))
        }
    }

    /// A frame that the daemon cannot read has no reply or ends the connection, at each attempt.
    private func check(_ command: Command) throws(SyncClientError) {
        try checkOpen()
        try command.check()
        let frame = CommandEncoder.encode(command, id: .max)
        guard frame.count <= Limits.frameBytesMax else {
            throw .frameTooLarge(bytes: frame.count, max: Limits.frameBytesMax)
        }
        do throws(JSONError) {
            _ = try unsafe JSONValue(
                parsing: frame.span.bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            throw .refused(
                ProtocolError(status: 400, code: "not_json", message: error.description))
        }
    }

    func checkOpen() throws(SyncClientError) {
        if case .closed(let reason) = phase { throw .closed(reason: reason) }
    }
}
