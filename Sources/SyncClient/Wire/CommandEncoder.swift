// Commands as the JSON of docs/PROTOCOL.md.

import EventModel
import JSON

/// Writes commands; what is absent is left out.
enum CommandEncoder {
    static func encode(_ command: Command, id: CommandID) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.member("id", id)
        json.member("op", command.kind.rawValue)
        write(command, into: &json)
        json.endObject()
        return json.bytes
    }

    private static func write(_ command: Command, into json: inout JSONWriter) {
        switch command {
        case .hello(let hello):
            write(hello, into: &json)
        case .subscribe(let requests):
            write(requests, into: &json)
        case .unsubscribe(let channels), .unread(let channels):
            json.member("channels", channels)
        case .markRead(let mark): write(mark, into: &json)
        case .follow(let request): write(request, into: &json)
        case .unfollow(let selection): write(selection, into: &json)
        case .repair(let request): write(request, into: &json)
        case .publish(let request):
            write(request, into: &json)
        case .signal(let request):
            json.member("channel", request.channel)
            json.member("payload", raw: request.message.payload)
            json.member("messageType", request.message.type)
        case .addAction(let request):
            write(request, actionTimetoken: nil, into: &json)
        case .removeAction(let removal):
            write(removal.action, actionTimetoken: removal.actionTimetoken, into: &json)
        case .editMessage(let request): write(request, into: &json)
        case .deleteMessage(let request): write(request, into: &json)
        case .deleteMessages(let request):
            json.member("channel", request.channel)
            json.member("after", quoted: request.after.rawValue)
            json.member("through", quoted: request.through.rawValue)
            json.member("mutation", request.mutation)
        case .removeActions(let request): write(request, into: &json)
        case .history(let query):
            json.member("channel", query.channel)
            json.member("limit", query.limit)
            json.member("before", quoted: query.before?.rawValue)
            json.member("after", quoted: query.after?.rawValue)
            json.member("parent", quoted: query.parent?.rawValue)
            if query.includesActions {
                json.member("actions", true)
            }
        case .older(let query):
            json.member("channel", query.channel)
            json.member("through", quoted: query.through?.rawValue)
            json.member("last", query.last)
        case .endLive(let id):
            json.member("live", id)
        case .actions(let query): write(query, into: &json)
        case .summaries(let query):
            write(query, into: &json)
        case .hereNow(let query):
            write(query, into: &json)
        case .whereNow(let userID):
            json.member("userId", userID)
        case .setState(let channel, let state):
            json.member("channel", channel)
            json.member("state", raw: state)
        case .getState(let channel, let userID):
            json.member("channel", channel)
            json.member("userId", userID)
        case .changeGroup(let request): write(request, into: &json)
        case .group(let name):
            json.member("group", name)
        case .directory(let query): json.write(query)
        case .changeDirectory(let request): json.write(request)
        case .token(let token):
            json.member("token", token)
        case .ping:
            break
        }
    }

    private static func write(_ request: RepairRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        if request.level != .whole { json.member("of", request.level.rawValue) }
        if let choice = request.choice {
            json.member("fetch", PackedWants.text(choice.fetch))
            json.member("only", PackedActions.text(ordinals: choice.only))
        }
        json.member("from", request.run.first)
        json.member("count", Int(request.run.itemCount))
        json.member("symbols", request.run.text)
    }

    private static func write(_ mark: ReadMark, into json: inout JSONWriter) {
        json.member("channel", mark.channel)
        json.member("through", quoted: mark.through.rawValue)
    }

    private static func write(_ hello: Hello, into json: inout JSONWriter) {
        json.member("userId", hello.userID)
        json.member("deviceId", hello.deviceID)
        json.member("keyset", hello.keyset)
        json.member("publishKey", hello.publishKey)
        json.member("token", hello.token)
    }

    private static func write(_ query: OccupancyQuery, into json: inout JSONWriter) {
        json.member("channel", query.channel)
        if query.includesStates { json.member("states", true) }
        json.member("limit", query.limit)
        if query.offset > 0 { json.member("offset", query.offset) }
    }

    private static func write(_ requests: [SubscribeRequest], into json: inout JSONWriter) {
        json.beginArray("channels")
        for request in requests {
            json.beginObject()
            json.member("name", request.channel)
            json.member("cursor", quoted: request.cursor?.rawValue)
            json.member("epoch", request.epoch)
            if let base = request.base {
                json.member("count", Int(base.count))
                json.member("digest", base.text)
            }
            if request.asksForRepair {
                json.member("repair", true)
            }
            if request.batchMilliseconds > 0 { json.member("batch", request.batchMilliseconds) }
            if request.coalesces { json.member("coalesce", true) }
            if request.actions != .rows { json.member("actions", request.actions.rawValue) }
            if let window = request.window {
                json.beginObject("window")
                if window != .end { json.member("after", quoted: window.rawValue) }
                json.endObject()
            }
            if request.isPresent { json.member("presence", true) }
            json.member("state", raw: request.state)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ request: FollowRequest, into json: inout JSONWriter) {
        write(request.selection, into: &json)
        json.member("cursor", quoted: request.cursor?.rawValue)
        json.member("epoch", request.epoch)
        if request.batchMilliseconds > 0 { json.member("batch", request.batchMilliseconds) }
        if request.coalesces { json.member("coalesce", true) }
        if request.actions != .rows { json.member("actions", request.actions.rawValue) }
        if !request.starts { json.member("start", false) }
    }

    private static func write(_ selection: Selection, into json: inout JSONWriter) {
        switch selection.kind {
        case .group: json.member("group", selection.name)
        case .wildcard: json.member("wildcard", selection.name)
        }
    }

    private static func write(_ request: PublishRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        json.member("payload", raw: request.message.payload)
        json.member("meta", raw: request.message.meta)
        json.member("messageType", request.message.type)
        json.member("parent", quoted: request.message.parent?.rawValue)
        json.member("store", request.isStored)
        json.member("ttl", request.hoursKept)
        json.member("mutation", request.mutation)
    }

    private static func write(_ query: ActionsQuery, into json: inout JSONWriter) {
        json.member("channel", query.channel)
        json.member("messageTimetoken", quoted: query.messageTimetoken?.rawValue)
        json.member("type", oneOf: query.types)
        json.member("value", oneOf: query.values)
        json.member("userId", oneOf: query.userIDs)
        if query.order != .time { json.member("sort", query.order.rawValue) }
        if query.isDescending { json.member("descending", true) }
        json.member("after", query.after?.text)
        json.member("limit", query.limit)
        switch query.live {
        case .begin: json.member("live", true)
        case .extend(let id): json.member("live", id)
        case nil: break
        }
    }

    private static func write(_ request: GroupRequest, into json: inout JSONWriter) {
        json.member("group", request.group)
        switch request.change {
        case .add(let channels): json.member("add", channels)
        case .remove(let channels): json.member("remove", channels)
        case .delete: json.member("delete", true)
        }
    }

    private static func write(_ query: SummariesQuery, into json: inout JSONWriter) {
        json.member("channel", query.channel)
        json.beginArray("messages")
        for message in query.messages {
            guard let state = message.state else {
                json.quoted(message.timetoken.rawValue)
                continue
            }
            json.beginObject()
            json.member("m", quoted: message.timetoken.rawValue)
            json.member("h", state.text)
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ request: EditRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        json.member("messageTimetoken", quoted: request.messageTimetoken.rawValue)
        json.member("payload", raw: request.payload)
        json.member("mutation", request.mutation)
    }

    private static func write(_ request: OwnDeletionRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        json.member("messageTimetoken", quoted: request.messageTimetoken.rawValue)
        json.member("mutation", request.mutation)
    }

    private static func write(_ request: ClearingRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        json.member("messageTimetoken", quoted: request.clearing.messageTimetoken?.rawValue)
        json.member("type", request.clearing.type)
        json.member("value", request.clearing.value)
        json.member("userId", request.clearing.userID)
        json.member("mutation", request.mutation)
    }

    private static func write(
        _ request: ActionRequest, actionTimetoken: Timetoken?, into json: inout JSONWriter
    ) {
        json.member("channel", request.channel)
        json.member("messageTimetoken", quoted: request.messageTimetoken.rawValue)
        json.member("type", request.type)
        json.member("value", request.value)
        json.member("score", request.score)
        json.member("actionTimetoken", quoted: actionTimetoken?.rawValue)
        json.member("mutation", request.mutation)
    }
}

extension JSONWriter {
    /// A text or a list of them; nothing for none.
    fileprivate mutating func member(_ name: StaticString, oneOf texts: [String]) {
        if texts.count > 1 { member(name, texts) } else { member(name, texts.first) }
    }
}
