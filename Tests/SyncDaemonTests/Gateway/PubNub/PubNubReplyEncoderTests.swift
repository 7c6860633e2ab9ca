// Every answer, byte for byte as PubNub's service writes it.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

private func action(
    _ timetoken: UInt64, on message: UInt64 = 5, type: String = "reaction", value: String = "👍",
    by user: String = "u"
) -> MessageAction {
    MessageAction(
        key: .init(
            messageTimetoken: Timetoken(rawValue: message), type: type, value: value, uuid: user),
        actionTimetoken: Timetoken(rawValue: timetoken))
}

private func stored(
    _ value: UInt64, meta: String? = nil, type: String? = nil, actions: [MessageAction] = []
) -> StoredMessage {
    StoredMessage(
        timetoken: tick(value), uuid: "u",
        message: Message(payload: #"{"n":\#(value)}"#, meta: meta, type: type), actions: actions)
}

@Suite("PubNub answers about messages and presence")
struct PubNubReplyEncoderTests {
    @Test("time and publish")
    func messages() {
        #expect(text(of: PubNubReplyEncoder.time(sampleTime)) == "200 [17334108309073692]")
        #expect(
            text(of: PubNubReplyEncoder.published(sampleTime))
                == #"200 [1,"Sent","17334108309073692"]"#)
    }

    @Test("an empty poll has its cursor where Swift looks for it")
    func emptyPoll() {
        let response = PubNubReplyEncoder.poll(
            events: [], cursor: sampleTime, for: .sample())

        #expect(text(of: response) == #"200 {"t":{"t":"17334108309073692","r":1},"m":[]}"#)
        #expect(response.body[36] == UInt8(ascii: ","))
    }

    @Test("a polled event says what it came through", arguments: [nil, "g", "foo.*", "a\"b👍"])
    func polledEvents(subscription: String?) throws {
        let envelope = EncodedEnvelope(
            Envelope(
                channel: Channel("c", keyset: "s"), timetoken: tick(7), uuid: "u",
                event: .actionAdded(action(7))))

        let body = PubNubReplyEncoder.poll(
            events: [
                PolledEvent(envelope: envelope, subscription: subscription),
                PolledEvent(envelope: envelope, subscription: nil),
            ], cursor: tick(7), for: .sample()
        ).body

        let json = try JSONValue(parsing: String(decoding: body, as: UTF8.self))
        let events = try json.array("m")
        #expect(json.memberNames == ["t", "m"])
        #expect(events.count == 2)
        let first = events.element(at: 0)
        #expect(try first.optionalString("b") == subscription)
        #expect(try first.object("d").object("data").string("value") == "👍")
        let plain = String(decoding: envelope.json, as: UTF8.self)
        let second = events.element(at: 1).compactText
        #expect(second == plain)
        #expect(
            first.compactText.replacing(#","b":"\#(subscription ?? "")""#, with: "").count
                <= plain.count + 12)
    }

    @Test("history with a message whose actions are not all there says that there is more")
    func cutActions() throws {
        var message = StoredMessage(
            timetoken: tick(7), uuid: "u", message: Message(payload: "1"), actions: [action(8)]
        )
        let request = PubNubRequest.FetchRequest(
            channels: ["c"], limit: 25, includesMeta: false, includesUser: false,
            includesMessageType: false, includesCustomType: false, includesActions: true)
        func body(_ next: Timetoken?) -> String {
            text(
                of: PubNubReplyEncoder.fetched(
                    [("c", HistoryPage(messages: [message], next: next))], for: request,
                    subscribeKey: "s"))
        }
        #expect(!body(nil).contains(#""more""#))
        #expect(body(tick(6)).contains(#""start":"\#(tick(6))","max":25"#))

        message.moreActions = tick(8)

        #expect(body(nil).contains(#""start":"\#(tick(7))","max":25"#))
        #expect(body(tick(6)).contains(#""start":"\#(tick(6))","max":25"#))
    }

    @Test("a preflight allows what browsers ask for, and has no body")
    func preflight() {
        let response = HTTPResponse.pubNubPreflight

        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.isForPages)
        #expect(
            response[header: "Access-Control-Allow-Methods"]
                == "GET, POST, PATCH, DELETE, OPTIONS")
        #expect(
            response[header: "Access-Control-Allow-Headers"]
                == "Origin, X-Requested-With, Content-Type, Content-Encoding, Accept, If-Match")
        #expect(response[header: "Access-Control-Max-Age"] == "86400")
    }

    @Test("an answer has the service's headers, each once", arguments: [nil, "http://localhost"])
    func headers(origin: String?) throws {
        let bytes = PubNubReplyEncoder.left.encoded(for: origin)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")

        #expect(lines.first == "HTTP/1.1 200 OK")
        #expect(lines.contains(#"Content-Type: text/javascript; charset="UTF-8""#))
        #expect(lines.filter { $0.hasPrefix("Cache-Control") } == ["Cache-Control: no-cache"])
        #expect(lines.filter { $0 == "Vary: Origin" }.count == 1)
        #expect(lines.filter { $0.hasPrefix("Access-Control") }.count == (origin == nil ? 2 : 4))
        #expect(lines.contains("Access-Control-Allow-Origin: http://localhost") == (origin != nil))
    }

    @Test("heartbeat, leave, where, states")
    func presence() {
        #expect(
            text(of: PubNubReplyEncoder.beaten)
                == #"200 {"status":200,"message":"OK","service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.left)
                == #"200 {"status":200,"message":"OK","action":"leave","service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.whereNow(["TestChannel"]))
                == #"200 {"status":200,"message":"OK","payload":{"channels":["TestChannel"]},"#
                + #""service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.state(#"{"text":"hey"}"#, of: "u", in: "c"))
                == #"200 {"status":200,"message":"OK","payload":{"text":"hey"},"uuid":"u","#
                + #""channel":"c","service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.state(nil, of: "u", in: "c"))
                == #"200 {"status":200,"message":"OK","payload":{},"uuid":"u","channel":"c","#
                + #""service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.states([("c", #"{"a":1}"#), ("d\"", "{}")], of: "u"))
                == #"200 {"status":200,"message":"OK","payload":{"channels":"#
                + #"{"c":{"a":1},"d\"":{}}},"#
                + #""uuid":"u","service":"Presence"}"#)
        #expect(
            text(of: PubNubReplyEncoder.stateSet(#"{"count":5,"name":"Alex"}"#))
                == #"200 {"status":200,"message":"OK","payload":{"count":5,"name":"Alex"},"#
                + #""service":"Presence"}"#)
    }

    @Test("who is here in one channel")
    func hereNowInOne() {
        var census = PubNubRequest.Census(channels: ["c"], groups: [])
        let here = Occupancy(
            channel: "c", count: 2,
            users: [Occupant(userID: "pn-12", state: #"{"a":1}"#), Occupant(userID: "u")])
        func answer() -> String {
            text(
                of: PubNubReplyEncoder.hereNow(
                    census, [here], totalChannels: 1, totalOccupancy: 2))
        }

        #expect(
            answer()
                == #"200 {"status":200,"message":"OK","occupancy":2,"uuids":["pn-12","u"],"#
                + #""service":"Presence"}"#)
        census.includesState = true
        #expect(
            answer()
                == #"200 {"status":200,"message":"OK","occupancy":2,"uuids":[{"uuid":"pn-12","#
                + #""state":{"a":1}},{"uuid":"u"}],"service":"Presence"}"#)
        census.includesUsers = false
        #expect(
            answer() == #"200 {"status":200,"message":"OK","occupancy":2,"service":"Presence"}"#)
        census.includesUsers = true
        #expect(
            text(
                of: PubNubReplyEncoder.hereNow(census, [], totalChannels: 0, totalOccupancy: 0))
                == #"200 {"status":200,"message":"OK","occupancy":0,"uuids":[],"#
                + #""service":"Presence"}"#)
    }

    @Test("who is here in several channels, in groups, or anywhere")
    func hereNowInMany() {
        let here = Occupancy(channel: "TestChannel", count: 1, users: [Occupant(userID: "pn-12")])
        for census in [
            PubNubRequest.Census(channels: ["TestChannel", "x"], groups: []),
            PubNubRequest.Census(channels: ["TestChannel"], groups: ["g"]),
            PubNubRequest.Census(channels: [], groups: []),
        ] {
            #expect(
                text(
                    of: PubNubReplyEncoder.hereNow(
                        census, [here, Occupancy(channel: "x", count: 0)], totalChannels: 1,
                        totalOccupancy: 1))
                    == #"200 {"status":200,"message":"OK","payload":{"channels":{"TestChannel":"#
                    + #"{"occupancy":1,"uuids":["pn-12"]}},"total_channels":1,"#
                    + #""total_occupancy":1},"service":"Presence"}"#)
        }
    }

    @Test("channel groups")
    func groups() {
        #expect(
            text(of: PubNubReplyEncoder.groupChanged)
                == #"200 {"status":200,"message":"OK","service":"channel-registry","error":false}"#)
        #expect(
            text(of: PubNubReplyEncoder.group("G", channels: ["c1"]))
                == #"200 {"status":200,"payload":{"channels":["c1"],"group":"G"},"#
                + #""service":"channel-registry","error":false}"#)
        #expect(
            text(of: PubNubReplyEncoder.groups(["a"]))
                == #"200 {"status":200,"payload":{"namespace":"","groups":["a"]},"#
                + #""service":"channel-registry","error":false}"#)
    }
}

@Suite("PubNub answers about actions and history")
struct PubNubHistoryReplyTests {
    @Test("actions that were added and removed")
    func actions() {
        #expect(
            text(of: PubNubReplyEncoder.actionAdded(action(9)))
                == #"200 {"status":200,"data":{"type":"reaction","value":"👍","#
                + #""actionTimetoken":"9","messageTimetoken":"5","uuid":"u"}}"#)
        #expect(text(of: PubNubReplyEncoder.actionRemoved) == #"200 {"status":200,"data":{}}"#)
    }

    @Test("a page of actions says where older ones are, and only if there are any")
    func actionPages() {
        var request = PubNubRequest.ActionsPageRequest(channel: "a b/c", limit: 2)
        let item =
            #"{"type":"reaction","value":"👍","actionTimetoken":"9","messageTimetoken":"5","#
            + #""uuid":"u"}"#
        func answer(_ page: ActionsPage) -> String {
            text(of: PubNubReplyEncoder.actions(page, for: request, subscribeKey: "s"))
        }

        #expect(
            answer(ActionsPage(actions: [], next: nil)) == #"200 {"status":200,"data":[]}"#)
        #expect(
            answer(ActionsPage(actions: [action(9)], next: nil))
                == #"200 {"status":200,"data":[\#(item)]}"#)
        // None of those that were looked at stands any more.
        #expect(answer(ActionsPage(actions: [], next: .time(tick(9)))).contains("start=9&limit=2"))
        let more = ActionsPage(actions: [action(9)], next: .time(tick(9)))
        #expect(
            answer(more)
                == #"200 {"status":200,"data":[\#(item)],"more":{"url":"#
                + #""/v1/message-actions/s/channel/a%20b%2Fc?start=9&limit=2","start":"9","#
                + #""limit":2}}"#)
        request.end = tick(3)
        #expect(
            answer(more)
                == #"200 {"status":200,"data":[\#(item)],"more":{"url":"#
                + #""/v1/message-actions/s/channel/a%20b%2Fc?start=9&end=3&limit=2","start":"9","#
                + #""end":"3","limit":2}}"#)
    }

    @Test("history of old is an array with numbers")
    func oldHistory() {
        var request = PubNubRequest.HistoryRequest(
            channel: "c", count: 2, isReversed: false, includesTimetokens: false,
            includesMeta: false)
        let page = HistoryPage(messages: [stored(3, meta: #"{"a":1}"#), stored(4)], next: nil)
        func answer() -> String { text(of: PubNubReplyEncoder.history(page, for: request)) }

        #expect(
            text(
                of: PubNubReplyEncoder.history(
                    HistoryPage(messages: [], next: nil), for: request)) == "200 [[],0,0]")
        #expect(answer() == #"200 [[{"n":3},{"n":4}],3,4]"#)
        request.includesTimetokens = true
        #expect(
            answer()
                == #"200 [[{"message":{"n":3},"timetoken":3},"#
                + #"{"message":{"n":4},"timetoken":4}],3,4]"#
        )
        request.quotesTimetokens = true
        request.includesMeta = true
        #expect(
            answer()
                == #"200 [[{"message":{"n":3},"timetoken":"3","meta":{"a":1}},{"message":{"n":4},"#
                + #""timetoken":"4","meta":""}],3,4]"#)
    }

    @Test("history of today has what was asked for")
    func fetched() {
        var request = PubNubRequest.FetchRequest(
            channels: ["a", "b", "c\""], limit: 25, includesMeta: false, includesUser: false,
            includesMessageType: false, includesCustomType: false, includesActions: false)
        let pages = [
            ("a", HistoryPage(messages: [stored(3, type: "text")], next: tick(3))),
            ("b", HistoryPage(messages: [], next: nil)),
            ("c\"", HistoryPage(messages: [stored(4, meta: "5")], next: nil)),
        ]
        func answer() -> String {
            text(of: PubNubReplyEncoder.fetched(pages, for: request, subscribeKey: "s"))
        }
        let start = #"200 {"status":200,"error":false,"error_message":"","channels":"#

        #expect(
            answer()
                == start + #"{"a":[{"message":{"n":3},"timetoken":"3"}],"#
                + #""c\"":[{"message":{"n":4},"timetoken":"4"}]}}"#)
        request.includesMeta = true
        request.includesUser = true
        request.includesMessageType = true
        request.includesCustomType = true
        #expect(
            answer()
                == start + #"{"a":[{"message":{"n":3},"timetoken":"3","uuid":"u","#
                + #""message_type":null,"custom_message_type":"text","meta":""}],"#
                + #""c\"":[{"message":{"n":4},"timetoken":"4","uuid":"u","message_type":null,"#
                + #""meta":5}]}}"#)
        #expect(
            text(of: PubNubReplyEncoder.fetched([], for: request, subscribeKey: "s"))
                == start + "{}}")
    }

    @Test("history with actions maps type, value and users, and says where older messages are")
    func fetchedWithActions() {
        let request = PubNubRequest.FetchRequest(
            channels: ["c"], limit: 25, includesMeta: false, includesUser: false,
            includesMessageType: false, includesCustomType: false, includesActions: true)
        let message = stored(
            5,
            actions: [
                action(6, by: "u1"), action(7, value: "é"), action(8, type: "seen\"", value: ""),
                action(9, by: "u2"), action(10, value: "e\u{301}"),
            ])
        let page = HistoryPage(messages: [message, stored(9)], next: tick(5))

        #expect(
            text(of: PubNubReplyEncoder.fetched([("c", page)], for: request, subscribeKey: "s"))
                == #"200 {"status":200,"error":false,"error_message":"","channels":{"c":["#
                + #"{"message":{"n":5},"timetoken":"5","actions":{"reaction":{"👍":["#
                + #"{"uuid":"u1","actionTimetoken":"6"},{"uuid":"u2","actionTimetoken":"9"}],"#
                + "\"é\":[{\"uuid\":\"u\",\"actionTimetoken\":\"7\"}],"
                + "\"e\u{301}\":[{\"uuid\":\"u\",\"actionTimetoken\":\"10\"}]},"
                + #""seen\"":{"":[{"uuid":"u","actionTimetoken":"8"}]}}},"#
                + #"{"message":{"n":9},"timetoken":"9"}]},"more":{"url":"#
                + #""/v3/history-with-actions/sub-key/s/channel/c?start=5","start":"5","max":25}}"#)
    }

    @Test("counts and deletions")
    func counts() {
        #expect(
            text(of: PubNubReplyEncoder.counted([("TestChannel", 2), ("x", 0)]))
                == #"200 {"status":200,"error":false,"error_message":"","channels":"#
                + #"{"TestChannel":2,"x":0}}"#)
        #expect(
            text(of: PubNubReplyEncoder.messagesDeleted)
                == #"200 {"status":200,"error":false,"error_message":""}"#)
    }
}
