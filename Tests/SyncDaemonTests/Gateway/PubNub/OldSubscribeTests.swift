// The subscribe of old: its request as C-core spells it, and its answer as C-core reads it.

import EventModel
import Testing

@testable import SyncDaemon

private func decodedPoll(_ target: String) throws -> PubNubRequest.Poll? {
    guard case .subscribe(let poll) = try #require(decoded(.get, target)).get().endpoint else {
        return nil
    }
    return poll
}

private func message(
    _ payload: String, in channel: String, at number: UInt64, by name: String? = nil
) -> PolledEvent {
    PolledEvent(
        envelope: EncodedEnvelope(
            Envelope(
                channel: Channel(channel, keyset: "s"), timetoken: Timetoken(rawValue: number),
                uuid: "u", event: .message(Message(payload: payload, meta: #"{"d":"no"}"#)))),
        subscription: name)
}

private func answer(
    _ events: [PolledEvent], channels: [String] = ["c"], groups: [String] = []
) -> String {
    text(
        of: PubNubReplyEncoder.poll(
            events: events, cursor: sampleTime,
            for: .sample(.payloads, channels: channels, groups: groups)))
}

@Suite("PubNub's subscribe of old")
struct OldSubscribeTests {
    @Test("C-core's request, its cursor in the path")
    func request() throws {
        let poll = try decodedPoll(
            "/subscribe/s/a,b-pnpres,foo.*/0/17334108309073692?pnsdk=PubNub-C-core%2F4&"
                + "channel-group=g,h-pnpres&uuid=u&auth=t&heartbeat=8")

        #expect(poll?.form == .payloads)
        #expect(poll?.cursor == sampleTime)
        #expect(poll?.channels == ["a", "b-pnpres", "foo.*"])
        #expect(poll?.groups == ["g", "h-pnpres"])
        #expect(poll?.beat.channels == ["a", "foo.*"])
        #expect(poll?.beat.groups == ["g"])
        #expect(poll?.beat.seconds == 8)
        #expect(try decodedPoll("/v2/subscribe/s/a/0?tt=7")?.form == .envelopes)
    }

    @Test("zero is a handshake, groups alone will do, and a cursor of the query is none here")
    func handshakes() throws {
        #expect(try decodedPoll("/subscribe/s/a/0/0?pnsdk=x")?.cursor == .zero)
        #expect(try decodedPoll("/subscribe/s/a/0/0?tt=7")?.cursor == .zero)
        let groups = try decodedPoll("/subscribe/s/,/0/0?channel-group=g")
        #expect(groups?.channels == [])
        #expect(groups?.groups == ["g"])
    }

    @Test(
        "its refusals are the gateway's, which C-core searches for a status",
        arguments: [
            ("/subscribe/s/a/0/x", "Invalid Arguments: timetoken must be a timetoken of 1 to 20"),
            ("/subscribe/s/a/0/", "Invalid Arguments: timetoken must be a timetoken of 1 to 20"),
            ("/subscribe/s/,/0/0", "Name a channel or a channel group to subscribe to."),
            ("/subscribe//a/0/0", "Invalid Subscribe Key"),
            ("/subscribe/s/a%/0/0", "Could Not Parse Request"),
            (
                "/subscribe/s/a%2Cb/0/0",
                "A channel name has 1 to 255 bytes, no comma and no control character."
            ),
        ])
    func refusals(target: String, message: String) throws {
        let text = try #require(refusal(.get, target))
        #expect(text.hasPrefix(#"400 {"message":"\#(message)"#), "\(text)")
        #expect(text.hasSuffix(#","error":true,"service":"Access Manager","status":400}"#))
    }

    @Test("another path of the kind is not found")
    func unknown() {
        for target in ["/subscribe/s/a/0", "/subscribe/s/a/1/0", "/subscribe"] {
            #expect(refusal(.get, target)?.hasPrefix("404 ") == true, "\(target)")
        }
    }

    @Test("without events there are no lists, whatever was subscribed to")
    func empty() {
        let expected = #"200 [[],"17334108309073692"]"#
        #expect(answer([]) == expected)
        #expect(answer([], channels: ["a", "b"]) == expected)
        #expect(answer([], channels: [], groups: ["g"]) == expected)
    }

    @Test("one channel has no list: C-core asked for no other")
    func one() {
        #expect(
            answer([message(#"{"a":[1,"]"]}"#, in: "c", at: 7), message("2", in: "c", at: 8)])
                == #"200 [[{"a":[1,"]"]},2],"17334108309073692"]"#)
    }

    @Test("several channels have a list with the channel of each event")
    func several() {
        #expect(
            answer(
                [message("1", in: "a", at: 7), message("2", in: "b\"", at: 8)],
                channels: ["a", "b\""])
                == #"200 [[1,2],"17334108309073692","a,b\""]"#)
    }

    @Test("groups and wildcards have a list of the names before it")
    func matches() {
        let events = [
            message("1", in: "a", at: 7), message("2", in: "m", at: 8, by: "g"),
            message("null", in: "foo.x", at: 9, by: "foo.*"),
        ]
        let expected = #"200 [[1,2,null],"17334108309073692","a,g,foo.*","a,m,foo.x"]"#

        #expect(answer(events, channels: ["a", "foo.*"], groups: ["g"]) == expected)
        #expect(
            answer([events[2]], channels: ["foo.*"])
                == #"200 [[null],"17334108309073692","foo.*","foo.x"]"#)
        #expect(
            answer([events[1]], channels: [], groups: ["g"])
                == #"200 [[2],"17334108309073692","g","m"]"#)
    }

    @Test("actions, signals and presence come as what their envelopes hold")
    func kinds() throws {
        let key = MessageAction.Key(
            messageTimetoken: sampleTime, type: "reaction", value: "👍", uuid: "u")
        let added = EncodedEnvelope(
            Envelope(
                channel: Channel("c", keyset: "s"), timetoken: sampleTime, uuid: "u",
                event: .actionAdded(MessageAction(key: key, actionTimetoken: sampleTime))))
        let text = answer([PolledEvent(envelope: added, subscription: nil)])

        #expect(text.hasPrefix(#"200 [[{"source":"actions","version":"1.0","event":"added","#))
        #expect(text.hasSuffix(#"}}],"17334108309073692"]"#))
    }
}
