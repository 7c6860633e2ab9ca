// A client's bytes as a command, or as the error to answer with. Knows every field and every limit.

import EventModel
import JSON

/// One message from a client, read.
struct DecodedCommand: Sendable {
    /// `nil` when the message carried no usable one.
    let id: CommandID?
    let command: Result<Command, ProtocolError>
}

/// Reads commands as docs/PROTOCOL.md describes them.
enum CommandDecoder {
    /// Reads one whole message.
    static func decode(_ bytes: RawSpan) -> DecodedCommand {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes, depthMax: Limits.jsonDepthMax)
        } catch {
            return DecodedCommand(
                id: identity(of: bytes, because: error), command: .failure(ProtocolError(error)))
        }
        guard json.isObject else {
            return DecodedCommand(id: nil, command: .failure(.notAnObject))
        }
        var id: CommandID?
        do throws(ProtocolError) {
            id = try commandID(json)
            let name = try json.text("op", bytesMax: 64)
            guard let operation = Command.Operation(rawValue: name) else {
                throw .unknownOperation(name)
            }
            return DecodedCommand(id: id, command: .success(try decode(operation, json)))
        } catch {
            return DecodedCommand(id: id, command: .failure(error))
        }
    }

    /// The id of a command that is too deep to be read any further.
    private static func identity(of bytes: RawSpan, because error: JSONError) -> CommandID? {
        guard case .tooDeep = error,
            let json = try? JSONValue(parsing: bytes, depthMax: .max)
        else { return nil }
        return try? commandID(json)
    }

    /// One row per operation.
    static func decode(
        _ operation: Command.Operation, _ json: borrowing JSONValue
    ) throws(ProtocolError) -> Command {
        switch operation {
        case .hello: .hello(try hello(json))
        case .subscribe: .subscribe(try subscribe(json))
        case .unsubscribe: .unsubscribe(channels: try channelNames(json))
        case .follow: .follow(try follow(json))
        case .unfollow: .unfollow(try selection(json))
        case .repair: .repair(try repair(json))
        case .publish: .publish(try publish(json))
        case .signal: .signal(try signal(json))
        case .addAction: .addAction(try addition(json))
        case .removeAction: .removeAction(try removal(json))
        case .editMessage: .editMessage(try edit(json))
        case .deleteMessage: .deleteMessage(try ownDeletion(json))
        case .deleteMessages: .deleteMessages(try deletion(json))
        case .removeActions: .removeActions(try clearing(json))
        case .history: .history(try history(json))
        case .older: .older(try older(json))
        case .actions: .actions(try actions(json))
        case .summaries: .summaries(try summaries(json))
        case .markRead: .markRead(try readMark(json))
        case .unread: .unread(channels: try unreadChannels(json))
        case .endLive: .endLive(try json.count("live", max: .max))
        case .hereNow: .hereNow(try occupancy(json))
        case .whereNow: .whereNow(userID: try json.userID())
        case .setState: try ownState(json)
        case .getState:
            .getState(channel: try json.channelName("channel"), userID: try json.userID())
        case .changeGroup: .changeGroup(try groupChange(json))
        case .group: .group(try groupName(json))
        case .users, .channels, .members, .memberships:
            .directory(try directory(operation, json))
        case .setUser, .removeUser, .setChannel, .removeChannel, .setMembers, .setMemberships:
            .changeDirectory(try directoryChange(operation, json))
        case .ping: .ping
        case .token: .token(try json.text("token", bytesMax: Limits.tokenBytesMax))
        }
    }

    private static func commandID(_ json: borrowing JSONValue) throws(ProtocolError) -> CommandID {
        let id = try json.read { (json) throws(JSONError) in try json.integer("id") }
        // A reply has it as it was written.
        guard id >= 0, json.member("id")?.integer != nil else {
            throw .invalidField("id", "an integer of 0 or more")
        }
        return id
    }

    private static func hello(_ json: borrowing JSONValue) throws(ProtocolError) -> Hello {
        Hello(
            userID: try json.text("userId", bytesMax: Limits.identifierBytesMax),
            deviceID: try json.text("deviceId", bytesMax: Limits.identifierBytesMax),
            keyset: try json.optionalText("keyset", bytesMax: Limits.identifierBytesMax),
            publishKey: try json.optionalText("publishKey", bytesMax: Limits.identifierBytesMax),
            token: try json.optionalText("token", bytesMax: Limits.tokenBytesMax))
    }

    /// Reads a `hello` from the query of a URL, by the rules of the one in JSON; but for a token,
    /// which has no place in what proxies and servers write down.
    ///
    /// - Returns: `nil` when the query does not say who connects.
    static func hello(query: [String: String]) -> Result<Hello, ProtocolError>? {
        guard let userID = query["userId"], let deviceID = query["deviceId"] else { return nil }
        for name in ["userId", "deviceId", "keyset", "publishKey"] {
            guard let value = query[name],
                !(1...Limits.identifierBytesMax).contains(value.utf8.count)
            else {
                continue
            }
            return .failure(
                .invalidField(name, "a string of 1 to \(Limits.identifierBytesMax) bytes"))
        }
        return .success(
            Hello(
                userID: userID, deviceID: deviceID, keyset: query["keyset"],
                publishKey: query["publishKey"]))
    }

    private static func subscribe(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> [SubscribeRequest] {
        let list = try json.channelList()
        var requests: [SubscribeRequest] = []
        requests.reserveCapacity(list.count)
        for index in 0..<list.count {
            let entry = list.element(at: index)
            guard entry.isObject else {
                throw .invalidField("channels", #"a list of objects such as {"name":"room"}"#)
            }
            let isPresent = try isPresent(entry)
            requests.append(
                SubscribeRequest(
                    channel: try entry.channelName("name"),
                    cursor: try entry.optionalTimetoken("cursor"),
                    epoch: try entry.optionalText("epoch", bytesMax: 64),
                    base: try entry.base(),
                    asksForRepair: try asksForRepair(entry),
                    batchMilliseconds: try entry.milliseconds(
                        "batch", max: Limits.batchWindowMax),
                    coalesces: try entry.read { (entry) throws(JSONError) in
                        try entry.flag("coalesce")
                    }, actions: try detail(entry), window: try window(entry), isPresent: isPresent,
                    state: isPresent && entry.member("state") != nil
                        ? try entry.userState() : nil))
        }
        return requests
    }

    static func detail(
        _ entry: borrowing JSONValue
    ) throws(ProtocolError) -> ActionsDetail {
        guard let text = try entry.optionalText("actions", bytesMax: 16) else { return .rows }
        guard let detail = ActionsDetail(rawValue: text) else {
            throw .invalidField("actions", "\"rows\", \"summary\" or \"none\"")
        }
        return detail
    }

    private static func asksForRepair(
        _ entry: borrowing JSONValue
    ) throws(ProtocolError) -> Bool {
        let asks = try entry.read { (entry) throws(JSONError) in try entry.flag("repair") }
        if asks, try detail(entry) != .rows {
            throw .invalidField("repair", "absent where \"actions\" is not \"rows\"")
        }
        if asks, entry.member("cursor") == nil {
            throw ProtocolError(.missingField("cursor", expected: "a string of decimal digits"))
        }
        return asks
    }

    static func channelNames(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> [String] {
        let list = try json.channelList()
        var names: [String] = []
        for index in 0..<list.count {
            guard let name = list.element(at: index).string else {
                throw .invalidField("channels", "a list of strings")
            }
            guard isValidChannelName(name) else { throw .invalidChannel }
            names.append(name)
        }
        return names
    }

    private static func publish(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> PublishRequest {
        let message = Message(
            payload: try json.payload(), meta: json.member("meta")?.compactText,
            type: try json.optionalText("messageType", bytesMax: Limits.messageTypeBytesMax),
            parent: try parent(json))
        return PublishRequest(
            channel: try json.channelName("channel"), message: message,
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax),
            isStored: try json.read { (json) throws(JSONError) in try json.optionalFlag("store") },
            hoursKept: try json.hours("ttl", max: Limits.hoursKeptMax))
    }

    private static func signal(_ json: borrowing JSONValue) throws(ProtocolError) -> SignalRequest {
        let payload = try json.payload()
        guard payload.utf8.count <= Limits.signalBytesMax else {
            throw .invalidField(
                "payload", "JSON text of at most \(Limits.signalBytesMax) bytes in a signal")
        }
        return SignalRequest(
            channel: try json.channelName("channel"),
            message: Message(
                payload: payload,
                type: try json.optionalText("messageType", bytesMax: Limits.messageTypeBytesMax)))
    }

    private static func addition(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> ActionRequest {
        var request = try action(json)
        request.score = try json.score()
        return request
    }

    private static func action(_ json: borrowing JSONValue) throws(ProtocolError) -> ActionRequest {
        let messageTimetoken = try json.timetoken("messageTimetoken")
        return ActionRequest(
            channel: try json.channelName("channel"), messageTimetoken: messageTimetoken,
            type: try json.optionalText("type", bytesMax: Limits.actionTypeBytesMax) ?? "reaction",
            value: try json.text("value", bytesMax: Limits.actionValueBytesMax),
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }

    private static func removal(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> RemovalRequest {
        RemovalRequest(
            action: try action(json),
            actionTimetoken: try json.optionalTimetoken("actionTimetoken"))
    }

    private static func deletion(
        _ json: borrowing JSONValue
    ) throws(ProtocolError) -> DeletionRequest {
        DeletionRequest(
            channel: try json.channelName("channel"),
            after: try json.optionalTimetoken("after") ?? .zero,
            through: try json.timetoken("through"),
            mutation: try json.optionalText("mutation", bytesMax: Limits.mutationBytesMax))
    }

    private static func history(_ json: borrowing JSONValue) throws(ProtocolError) -> HistoryQuery {
        HistoryQuery(
            channel: try json.channelName("channel"),
            before: try json.optionalTimetoken("before"),
            after: try json.optionalTimetoken("after"),
            limit: try json.limit(max: Limits.historyPageMax), parent: try parent(json),
            includesActions: try json.read { (json) throws(JSONError) in try json.flag("actions") })
    }

    /// Where the part of a channel starts that a device holds.
    private static func window(_ entry: borrowing JSONValue) throws(ProtocolError) -> Timetoken? {
        guard let window = entry.member("window") else { return nil }
        guard window.isObject else {
            throw .invalidField("window", #"an object such as {"after":"17952187953729998"}"#)
        }
        guard try detail(entry) == .rows else {
            throw .invalidField("window", "left out where \"actions\" is not \"rows\"")
        }
        return try window.optionalTimetoken("after") ?? .end
    }

    private static func older(_ json: borrowing JSONValue) throws(ProtocolError) -> OlderQuery {
        let through = try json.optionalTimetoken("through")
        let last = Int(
            try json.count("last", max: Int64(Limits.windowPageMessagesMax)))
        guard last > 0 || through != nil else {
            throw .invalidField("last", "an integer of 1 or more where there is no through")
        }
        return OlderQuery(
            channel: try json.channelName("channel"), through: through, last: last)
    }

    private static func actions(_ json: borrowing JSONValue) throws(ProtocolError) -> ActionsQuery {
        let name = try json.optionalText("sort", bytesMax: 16)
        guard let order = name.map(ActionsQuery.Order.init) ?? .time else {
            throw .invalidField("sort", "\"time\", \"value\" or \"score\"")
        }
        let message = try json.optionalTimetoken("messageTimetoken")
        guard order == .time || message != nil else {
            throw .invalidField("sort", "\"time\" without a messageTimetoken")
        }
        return ActionsQuery(
            channel: try json.channelName("channel"), messageTimetoken: message,
            types: try json.texts("type", bytesMax: Limits.actionTypeBytesMax),
            values: try json.texts("value", bytesMax: Limits.actionValueBytesMax),
            userIDs: try json.texts("userId", bytesMax: Limits.identifierBytesMax),
            order: order,
            isDescending: try json.read { (json) throws(JSONError) in
                try json.flag("descending")
            },
            after: try place(json, in: order), limit: try json.limit(max: Limits.actionsPageMax),
            live: try live(json))
    }

    private static func place(
        _ json: borrowing JSONValue, in order: ActionsQuery.Order
    ) throws(ProtocolError) -> ActionsPlace? {
        guard let member = json.member("after") else { return nil }
        guard let place = member.string.flatMap(ActionsPlace.init), place.order == order else {
            throw .invalidField(
                "after",
                order == .time
                    ? "a string of 1 to 19 decimal digits, up to 2^63-1"
                    : "what the page before said as \"next\"")
        }
        return place
    }
}
