// Commands as the JSON of docs/PROTOCOL.md.

import EventModel
import JSON

/// Writes commands; what is absent is left out.
enum CommandEncoder {
    static func encode(_ command: Command, id: CommandID) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        json.name("id")
        json.integer(id)
        json.name("op")
        json.string(command.kind.rawValue)
        write(command, into: &json)
        json.endObject()
        return json.bytes
    }

    private static func write(_ command: Command, into json: inout JSONWriter) {
        switch command {
        case .hello(let hello):
            json.member("userId", hello.userID)
            json.member("deviceId", hello.deviceID)
            if let keyset = hello.keyset, keyset != Channel.defaultKeyset {
                json.member("keyset", keyset)
            }
        case .subscribe(let requests):
            write(requests, into: &json)
        case .unsubscribe(let channels):
            json.name("channels")
            json.beginArray()
            for channel in channels { json.string(channel) }
            json.endArray()
        case .repair(let request):
            json.member("channel", request.channel)
            json.member("from", request.run.first)
            json.member("count", Int(request.run.itemCount))
            json.member("symbols", request.run.text)
        case .publish(let request):
            write(request, into: &json)
        case .addAction(let request):
            write(request, actionTimetoken: nil, into: &json)
        case .removeAction(let removal):
            write(removal.action, actionTimetoken: removal.actionTimetoken, into: &json)
        case .deleteMessages(let request):
            json.member("channel", request.channel)
            json.member("after", request.after)
            json.member("through", request.through)
            json.member("mutation", request.mutation)
        case .history(let query):
            json.member("channel", query.channel)
            json.member("limit", query.limit)
            json.member("before", query.before)
            json.member("after", query.after)
            if query.includesActions {
                json.name("actions")
                json.bool(true)
            }
        case .actions(let query):
            json.member("channel", query.channel)
            json.member("messageTimetoken", query.messageTimetoken)
            json.member("type", query.type)
            json.member("value", query.value)
            json.member("userId", query.userID)
            json.member("after", query.after)
            json.member("limit", query.limit)
        case .ping:
            break
        }
    }

    private static func write(_ requests: [SubscribeRequest], into json: inout JSONWriter) {
        json.name("channels")
        json.beginArray()
        for request in requests {
            json.beginObject()
            json.member("name", request.channel)
            json.member("cursor", request.cursor)
            json.member("epoch", request.epoch)
            if let base = request.base {
                json.member("count", Int(base.count))
                json.member("digest", base.text)
            }
            if request.asksForRepair {
                json.name("repair")
                json.bool(true)
            }
            if request.batchMilliseconds > 0 { json.member("batch", request.batchMilliseconds) }
            if request.coalesces {
                json.name("coalesce")
                json.bool(true)
            }
            json.endObject()
        }
        json.endArray()
    }

    private static func write(_ request: PublishRequest, into json: inout JSONWriter) {
        json.member("channel", request.channel)
        json.name("payload")
        json.raw(request.message.payload)
        if let meta = request.message.meta {
            json.name("meta")
            json.raw(meta)
        }
        json.member("messageType", request.message.type)
        if let isStored = request.isStored {
            json.name("store")
            json.bool(isStored)
        }
        if let hours = request.hoursKept { json.member("ttl", hours) }
        json.member("mutation", request.mutation)
    }

    private static func write(
        _ request: ActionRequest, actionTimetoken: Timetoken?, into json: inout JSONWriter
    ) {
        json.member("channel", request.channel)
        json.member("messageTimetoken", request.messageTimetoken)
        json.member("type", request.type)
        json.member("value", request.value)
        json.member("actionTimetoken", actionTimetoken)
        json.member("mutation", request.mutation)
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    fileprivate mutating func member(_ name: StaticString, _ number: Int) {
        self.name(name)
        integer(number)
    }

    fileprivate mutating func member(_ name: StaticString, _ timetoken: Timetoken?) {
        guard let timetoken else { return }
        self.name(name)
        quoted(timetoken.rawValue)
    }
}
