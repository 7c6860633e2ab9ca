// Publish, signal, fire and subscribe as each SDK spells them.

import EventModel
import Testing

@testable import SyncDaemon

private func endpoint(
    _ method: HTTPRequest.Method = .get, _ target: String, body: String = ""
) throws -> PubNubRequest.Endpoint {
    try #require(decoded(method, target, body: body)).get().endpoint
}

private func publication(
    _ target: String, _ method: HTTPRequest.Method = .get, body: String = ""
) throws -> PubNubRequest.Publication? {
    guard case .publish(let it) = try endpoint(method, target, body: body) else { return nil }
    return it
}

private func poll(_ target: String) throws -> PubNubRequest.Poll? {
    if case .subscribe(let poll) = try endpoint(.get, target) { poll } else { nil }
}

@Suite("PubNub requests about messages")
struct PubNubMessageRequestTests {
    @Test("who asks, with which keys")
    func common() throws {
        let request = try #require(
            decoded(
                .get,
                "/publish/pub-c-1/sub-c-2/0/ch/0/%22x%22?uuid=u%20x/y&auth=tok%20en+/=&pnsdk="
                    + "PubNubSwift-iOS/10.1.6&requestid=1&l_pub=0.1&ee")
        ).get()

        #expect(request.publishKey == "pub-c-1")
        #expect(request.subscribeKey == "sub-c-2")
        #expect(request.userID == "u x/y")
    }

    @Test("time needs nothing, and HEAD is as good as GET", arguments: ["GET", "HEAD"])
    func time(method: String) throws {
        let method = try #require(HTTPRequest.Method(rawValue: method))
        let request = try #require(decoded(method, "/time/0?pnsdk=x&uuid=u")).get()

        #expect(request == PubNubRequest(subscribeKey: "", userID: "u", endpoint: .time))
    }

    @Test(
        "a published message is JSON of any kind, made compact",
        arguments: [
            ("%22hi%22", #""hi""#), ("1", "1"), ("true", "true"), ("null", "null"),
            ("%7B%22a%22%3A%20%5B1%2C%202%5D%7D", #"{"a":[1,2]}"#),
            ("%22%5Cud83d%5Cudc4d%22", #""\ud83d\udc4d""#), ("1.10", "1.10"), ("-0", "-0"),
            (
                "%7B%22b%22:18446744073709551616,%22a%22:%22%5Cu0000%22%7D",
                #"{"b":18446744073709551616,"a":"\u0000"}"#
            ), ("%22%F0%9F%91%8D%22", "\"👍\""),
            ("%22a%2Fb+c%22", #""a/b+c""#), ("%22100%25%22", #""100%""#),
        ])
    func payloads(raw: String, payload: String) throws {
        let publication = try #require(try publication("/publish/p/s/0/room%201/0/\(raw)?uuid=u"))

        #expect(publication == .init(channel: "room 1", message: Message(payload: payload)))
    }

    @Test("channels have odd names", arguments: ["a%2Fb", "a:b", "!~*'()", "%F0%9F%91%8D", "a b"])
    func oddNames(raw: String) throws {
        let name = try RequestTarget("/" + raw)?.segment(0)

        #expect(try publication("/publish/p/s/0/\(raw)/0/1")?.channel == name)
    }

    @Test("everything that a publisher may wish for")
    func wishes() throws {
        let publication = try publication(
            "/publish/p/s/0/c/0/1?meta=%7B%22lang%22%3A%20%22en%22%7D&store=0&ttl=24&norep=false"
                + "&custom_message_type=text-message_1&seqn=3&ptto=1")

        var expected = PubNubRequest.Publication(
            channel: "c",
            message: Message(payload: "1", meta: #"{"lang":"en"}"#, type: "text-message_1"))
        expected.isStored = false
        expected.hoursKept = 24
        #expect(publication == expected)
    }

    @Test(
        "only what is neither stored nor replicated is a fire",
        arguments: [
            ("store=0&norep=1", false), ("norep=true&store=0", false), ("store=0&ttl=0", true),
            ("norep=true", true), ("norep=1&store=1", true), ("store=0", true), ("", true),
        ])
    func fire(query: String, isReplicated: Bool) throws {
        #expect(try publication("/publish/p/s/0/c/0/1?\(query)")?.isReplicated == isReplicated)
    }

    @Test("a posted message is the body", arguments: [#""hi""#, "{\n \"a\": 1 }", "7"])
    func posted(body: String) throws {
        let publication = try publication("/publish/p/s/0/c/0?uuid=u", .post, body: body)

        let compact = body.replacing("\n", with: "").replacing(" ", with: "")
        #expect(publication?.message.payload == compact)
    }

    @Test("ttl and store in every spelling")
    func numbers() throws {
        let target = "/publish/p/s/0/c/0/1?"
        #expect(try publication(target + "ttl=0")?.hoursKept == 0)
        #expect(try publication(target + "ttl=99999999999999999999")?.hoursKept == 876_000)
        #expect(try publication(target + "ttl=")?.hoursKept == nil)
        #expect(try publication(target + "store=1")?.isStored == true)
        #expect(try publication(target + "store=true")?.isStored == true)
        #expect(try publication(target + "store=")?.isStored == nil)
    }

    @Test("a signal is 64 bytes at most")
    func signals() throws {
        let text = String(repeating: "a", count: 62)

        #expect(
            try endpoint(.get, "/signal/p/s/0/c/0/%22\(text)%22?custom_message_type=abc")
                == .signal(channel: "c", Message(payload: "\"\(text)\"", type: "abc")))
        #expect(
            refusal(.get, "/signal/p/s/0/c/0/%22\(text)a%22")
                == #"400 [0,"Signal size too large","17334108309073692"]"#)
    }

    @Test(
        "what is wrong with a message is said as publish says it",
        arguments: [
            ("/publish/p/s/0/c/0/%7Bx", "Invalid JSON"), ("/publish/p/s/0/c/0/", "Invalid JSON"),
            ("/publish/p/s/0/c/0/1?meta=x", "Invalid JSON"),
            ("/publish//s/0/c/0/1", "Invalid Key"),
            ("/publish/p/s/0/c%/0/1", "Could Not Parse Request"),
            ("/publish/p/s/0/c/0/1?uuid=%FF", "Could Not Parse Request"),
            (
                "/publish/p/s/0/a%2Cb/0/1",
                "A channel name has 1 to 255 bytes, no comma and no control character."
            ),
            (
                "/publish/p/s/0//0/1",
                "A channel name has 1 to 255 bytes, no comma and no control character."
            ),
            (
                "/publish/p/s/0/a%0Ab/0/1",
                "A channel name has 1 to 255 bytes, no comma and no control character."
            ),
            (
                "/publish/p/s/0/a.*-pnpres/0/1",
                "Nothing can be written to a wildcard or to a channel that ends in -pnpres."
            ),
            (
                "/publish/p/s/0/*/0/1",
                "Nothing can be written to a wildcard or to a channel that ends in -pnpres."
            ),
            (
                "/publish/p/s/0/c-pnpres/0/1",
                "Nothing can be written to a wildcard or to a channel that ends in -pnpres."
            ),
            (
                "/signal/p/s/0/c.*/0/1",
                "Nothing can be written to a wildcard or to a channel that ends in -pnpres."
            ),
            ("/publish/p/s/0/c/0/1?ttl=x", "Invalid Arguments: ttl must be an integer."),
            ("/publish/p/s/0/c/0/1?ttl=-1", "Invalid Arguments: ttl must be hours, 0 or more."),
            (
                "/publish/p/s/0/c/0/1?ttl=-99999999999999999999",
                "Invalid Arguments: ttl must be hours, 0 or more."
            ),
            (
                "/publish/p/s/0/c/0/" + String(repeating: "[", count: 33),
                "The JSON has more than 32 levels of nesting."
            ),
            (
                "/publish/p/s/0/c/0/1?meta=" + String(repeating: "[", count: 33),
                "The JSON has more than 32 levels of nesting."
            ),
            ("/publish/p/s/0/c/0/1?store=2", "Invalid Arguments: store must be true or false."),
        ])
    func refusals(target: String, message: String) {
        #expect(refusal(.get, target) == #"400 [0,"\#(message)","17334108309073692"]"#)
    }

    @Test(
        "a custom message type has a form",
        arguments: [
            "ab", "-abc", "_abc", "pn_abc", "pn-abc", "a%20b", "a.b", "%C3%A9%C3%A9%C3%A9",
            String(repeating: "a", count: 51),
        ])
    func customTypes(type: String) throws {
        let answer = try #require(refusal(.get, "/signal/p/s/0/c/0/1?custom_message_type=\(type)"))

        #expect(answer.hasPrefix(#"400 [0,"Invalid Arguments: custom_message_type must be 3 to"#))
    }

    @Test("a message is 32 KiB at most, in the path and in the body")
    func sizes() throws {
        let text = #""\#(String(repeating: "a", count: 32_766))""#
        let tooLarge = #"400 [0,"Message Too Large","17334108309073692"]"#

        #expect(try publication("/publish/p/s/0/c/0", .post, body: text)?.message.payload == text)
        #expect(refusal(.post, "/publish/p/s/0/c/0", body: text + " ") == tooLarge)
        #expect(try publication("/publish/p/s/0/c/0/\(text)")?.message.payload == text)
        #expect(refusal(.get, "/publish/p/s/0/c/0/\(text) ") == tooLarge)
    }

    @Test("a handshake of each SDK", arguments: ["", "tt=0&", "tt=&ee=&"])
    func handshake(query: String) throws {
        let poll = try poll("/v2/subscribe/s/a,b-pnpres,a,foo.*/0?\(query)uuid=u&heartbeat=300")

        #expect(poll?.cursor == .zero)
        #expect(poll?.channels == ["a", "b-pnpres", "foo.*"])
        #expect(poll?.groups == [])
        #expect(poll?.beat.channels == ["a", "foo.*"])
        #expect(poll?.beat.seconds == 300)
        #expect(poll?.filter == nil)
    }

    @Test("a poll with groups only, with states and a cursor")
    func polls() throws {
        let poll = try poll(
            "/v2/subscribe/s/,/0?tt=16873352451141050&tr=1&channel-group=g%201%2Cg-pnpres"
                + "&state=%7B%22g%201%22%3A%7B%22a%22%3A%201%7D%2C%22x%22%3Anull%7D&on-demand=1")

        #expect(poll?.cursor == Timetoken(rawValue: 16_873_352_451_141_050))
        #expect(poll?.channels == [])
        #expect(poll?.groups == ["g 1", "g-pnpres"])
        #expect(poll?.beat.groups == ["g 1"])
        #expect(poll?.beat.seconds == nil)
        #expect(poll?.beat.states == ["g 1": #"{"a":1}"#])
    }

    @Test("a filter is parsed, an empty one is none")
    func filters() throws {
        let target = "/v2/subscribe/s/c/0?filter-expr="

        #expect(try poll(target)?.filter == nil)
        #expect(try poll(target + "%20")?.filter == nil)
        #expect(try poll(target + "uuid%20!%3D%20'u'")?.filter?.text == "uuid != 'u'")
        let answer = try #require(refusal(.get, target + "a%20%3D%3D"))
        #expect(answer.hasPrefix(#"481 {"message":""#))
        #expect(answer.hasSuffix(#"","error":true,"service":"SyncDaemon","status":481}"#))
    }

    @Test(
        "what is wrong with a poll is said as the gateway says it",
        arguments: [
            ("/v2/subscribe/s/a%/0", "Could Not Parse Request", "Access Manager"),
            ("/v2/subscribe/s/a/0?x=%zz", "Could Not Parse Request", "Access Manager"),
            ("/v2/subscribe//a/0", "Invalid Subscribe Key", "Access Manager"),
            (
                "/v2/subscribe/s/,/0", "Name a channel or a channel group to subscribe to.",
                "Access Manager"
            ),
            ("/v2/subscribe/s/a/0?state=[]", "Invalid JSON", "Access Manager"),
            ("/v2/subscribe/s/a/0?state=%7B%22a%22:1%7D", "Invalid JSON", "Access Manager"),
            (
                "/v2/subscribe/s/a/0?tt=x",
                "Invalid Arguments: tt must be a timetoken of 1 to 20 digits.", "Access Manager"
            ),
            (
                "/v2/subscribe/s/a%2Cb/0",
                "A channel name has 1 to 255 bytes, no comma and no control character.",
                "Access Manager"
            ),
        ])
    func pollRefusals(target: String, message: String, service: String) {
        #expect(
            refusal(.get, target)
                == #"400 {"message":"\#(message)","error":true,"service":"\#(service)","#
                + #""status":400}"#
        )
    }

    @Test("2,000 channels and groups are one request, 2,001 are not")
    func counts() throws {
        let names = (0..<1999).map(String.init).joined(separator: ",")

        #expect(try poll("/v2/subscribe/s/\(names)/0?channel-group=g")?.channels.count == 1999)
        #expect(
            refusal(.get, "/v2/subscribe/s/\(names)/0?channel-group=g,h")?.contains(
                "At most 2000 channels and groups per request.") == true)
    }
}
