// History, counts, deletions and channel groups as each SDK spells them.

import EventModel
import Testing

@testable import SyncDaemon

private let groups = "/v1/channel-registration/sub-key/s/channel-group"

@Suite("PubNub requests about history and groups")
struct PubNubHistoryRequestTests {
    @Test("history of old")
    func history() throws {
        let target = "/v2/history/sub-key/s/channel/c"
        #expect(
            try endpoint(target)
                == .history(
                    .init(
                        channel: "c", count: 100, start: nil, end: nil, isReversed: false,
                        includesTimetokens: false, includesMeta: false)))
        #expect(
            try endpoint(
                target
                    + "?count=500&start=3&end=0&reverse=true&include_token=true&include_meta=true"
                    + "&string_message_token=true")
                == .history(
                    .init(
                        channel: "c", count: 100, start: tick(3), end: .zero,
                        isReversed: true, includesTimetokens: true, includesMeta: true,
                        quotesTimetokens: true)))
    }

    @Test("history of today")
    func fetch() throws {
        let asked =
            "?max=90&start=9&end=1&include_meta=true&include_uuid=true&include_message_type=true"
            + "&include_custom_message_type=true&string_message_token=true"
        let one = PubNubRequest.FetchRequest(
            channels: ["a"], start: tick(9), end: tick(1), limit: 90, includesMeta: true,
            includesUser: true, includesMessageType: true, includesCustomType: true,
            includesActions: false)
        var two = one
        two.channels = ["a", "b/c"]
        two.limit = 25
        var withActions = one
        withActions.limit = 25
        withActions.includesActions = true

        #expect(try endpoint("/v3/history/sub-key/s/channel/a" + asked) == .fetch(one))
        #expect(try endpoint("/v3/history/sub-key/s/channel/a,b%2Fc,a" + asked) == .fetch(two))
        #expect(
            try endpoint("/v3/history-with-actions/sub-key/s/channel/a" + asked)
                == .fetch(withActions))
        #expect(
            try endpoint("/v3/history/sub-key/s/channel/a?include_meta=false")
                == .fetch(
                    .init(
                        channels: ["a"], start: nil, end: nil, limit: 100, includesMeta: false,
                        includesUser: false, includesMessageType: false,
                        includesCustomType: false, includesActions: false)))
    }

    @Test("counts give each channel its own cursor, or all the same")
    func counts() throws {
        let target = "/v3/history/sub-key/s/message-counts/"
        let both = PubNubRequest.Endpoint.messageCounts([
            .init(channel: "a", cursor: tick(1)), .init(channel: "b", cursor: tick(2)),
        ])
        #expect(try endpoint(target + "a,b?channelsTimetoken=1,2") == both)
        #expect(try endpoint(target + "a,a,b?channelsTimetoken=1%2C1%2C2") == both)
        #expect(
            try endpoint(target + "a,b?timetoken=7")
                == .messageCounts([
                    .init(channel: "a", cursor: tick(7)),
                    .init(channel: "b", cursor: tick(7)),
                ]))
    }

    @Test(
        "what is wrong with history is said as history says it",
        arguments: [
            "message-counts/a", "message-counts/,?timetoken=1", "message-counts/a?timetoken=x",
            "message-counts/a,b?channelsTimetoken=1,2,3", "message-counts/a?timetoken=",
            "message-counts/\((0...100).map(String.init).joined(separator: ","))?timetoken=1",
            "channel/,",
        ])
    func historyRefusals(path: String) {
        #expect(
            refusal(.get, "/v3/history/sub-key/s/" + path)
                == #"400 {"status":400,"error":true,"error_message":"Invalid Arguments","#
                + #""channels":{}}"#)
    }

    @Test("messages are deleted in a range")
    func deletions() throws {
        let target = "/v3/history/sub-key/s/channel/c"
        #expect(
            try endpoint(target, .delete) == .deleteMessages(channel: "c", start: nil, end: nil))
        #expect(
            try endpoint(target + "?start=1&end=0", .delete)
                == .deleteMessages(channel: "c", start: tick(1), end: .zero))
    }

    @Test("channel groups")
    func channelGroups() throws {
        #expect(try endpoint(groups) == .group(.listAll))
        #expect(try endpoint(groups + "/g%201") == .group(.list(group: "g 1")))
        #expect(
            try endpoint(groups + "/g?add=a/b,c%20d,c%20d")
                == .group(.add(group: "g", channels: ["a/b", "c d"])))
        #expect(
            try endpoint(groups + "/g?remove=a%2Cb")
                == .group(.remove(group: "g", channels: ["a", "b"])))
        #expect(try endpoint(groups + "/g/remove?uuid=u") == .group(.delete(group: "g")))
        for name in ["", String(repeating: "g", count: 256)] {
            #expect(
                refusal(.get, groups + "/\(name)?add=c")
                    == #"400 {"status":400,"message":"A channel group's name has 1 to 255 bytes.","#
                    + #""service":"channel-registry","error":true}"#)
        }
        for name in ["a:b", "a%2Cb", "g-pnpres"] {
            #expect(
                refusal(.get, groups + "/\(name)?add=c")
                    == #"400 {"status":400,"message":"Reserved character in input parameters.","#
                    + #""service":"channel-registry","error":true}"#)
        }
        let many = (0...200).map(String.init).joined(separator: ",")
        #expect(
            refusal(.get, groups + "/g?add=\(many)")
                == #"400 {"status":400,"message":"#
                + #""At most 200 channels per call. Make more calls.","#
                + #""service":"channel-registry","error":true}"#
        )
    }
}
