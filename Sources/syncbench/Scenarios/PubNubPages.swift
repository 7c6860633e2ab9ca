// How an app of PubNub's learns which reactions stand: page by page, all of them.

import EventModel
import JSON

/// Everything that stands in a channel, and what it took to read it.
struct PubNubReading {
    /// The two interfaces that tell it.
    enum Way: CaseIterable {
        /// 100 actions a page.
        case actions
        /// 25 messages a page, each with its actions.
        case history

        fileprivate var path: String {
            switch self {
            case .actions: "/v1/message-actions/default/channel/"
            case .history: "/v3/history-with-actions/sub-key/default/channel/"
            }
        }

        fileprivate var limit: String { self == .actions ? "limit=100" : "max=25" }
    }

    private(set) var actions: [MessageAction] = []
    private(set) var requests = 0
    private(set) var receivedBytes = 0
    private(set) var sentBytes = 0

    init(_ way: Way, of channel: Int, on server: Server) throws(BenchError) {
        let http = try HTTPConversation(port: server.port)
        let name = FrameTemplate.channelName(channel)
        var start: String?
        repeat {
            let body = try http.get(
                "\(way.path)\(name)?uuid=reader&\(way.limit)\(start.map { "&start=\($0)" } ?? "")")
            do throws(JSONError) {
                let json = try unsafe JSONValue(parsing: body.span.bytes)
                start = try json.member("more")?.string("start")
                switch way {
                case .actions: try take(actions: json)
                case .history: try take(messages: json, of: name)
                }
            } catch {
                throw BenchError("A page of \(way.path) cannot be read: \(error)")
            }
        } while start != nil
        requests = http.requests
        receivedBytes = http.receivedBytes
        sentBytes = http.sentBytes
    }

    private mutating func take(actions json: borrowing JSONValue) throws(JSONError) {
        let data = try json.array("data")
        for index in 0..<data.count {
            let action = data.element(at: index)
            actions.append(try action.action(by: action.string("uuid")))
        }
    }

    private mutating func take(
        messages json: borrowing JSONValue, of channel: String
    ) throws(JSONError) {
        guard let messages = try json.object("channels").member(channel) else { return }
        for index in 0..<messages.count {
            let message = messages.element(at: index)
            guard let types = message.member("actions") else { continue }
            for type in types.memberNames {
                let values = try types.object(type)
                for value in values.memberNames {
                    let people = try values.array(value)
                    for index in 0..<people.count {
                        let person = people.element(at: index)
                        let key = MessageAction.Key(
                            messageTimetoken: try message.timetoken("timetoken"), type: type,
                            value: value, uuid: try person.string("uuid"))
                        actions.append(
                            MessageAction(
                                key: key, actionTimetoken: try person.timetoken("actionTimetoken")))
                    }
                }
            }
        }
    }
}
