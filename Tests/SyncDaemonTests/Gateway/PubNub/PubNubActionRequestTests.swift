// Presence and message actions as each SDK spells them.

import EventModel
import Testing

@testable import SyncDaemon

private let presence = "/v2/presence/sub-key/s"
private let actions = "/v1/message-actions/s/channel/room%201"

@Suite("PubNub requests about presence and actions")
struct PubNubActionRequestTests {
    @Test("presence: heartbeat, leave, where")
    func beats() throws {
        #expect(
            try endpoint(
                presence
                    + "/channel/a,a-pnpres,wild.%2A/heartbeat?heartbeat=4&channel-group=g,g-pnpres"
                    + "&state=%7B%22a%22:%7B%7D%7D&ee&uuid=u")
                == .heartbeat(
                    .init(
                        channels: ["a", "wild.*"], groups: ["g"], seconds: 5,
                        states: ["a": "{}"])))
        #expect(
            try endpoint(presence + "/channel/,/heartbeat?heartbeat=99999999&uuid=u")
                == .heartbeat(.init(channels: [], groups: [], seconds: 86_400)))
        #expect(
            try endpoint(presence + "/channel/a,b-pnpres/leave?channel-group=g&uuid=u")
                == .leave(channels: ["a"], groups: ["g"]))
        #expect(try endpoint(presence + "/uuid/u%2F1") == .whereNow(userID: "u/1"))
    }

    @Test("presence: who is here")
    func census() throws {
        #expect(try endpoint(presence) == .hereNow(.init(channels: [], groups: [])))
        #expect(
            try endpoint(presence + "/channel/a,b?disable_uuids=1&state=0&limit=5000&offset=7")
                == .hereNow(
                    .init(
                        channels: ["a", "b"], groups: [], includesUsers: false, limit: 1000,
                        offset: 7)))
        #expect(
            try endpoint(presence + "/channel/,?channel-group=g&state=1&limit=2")
                == .hereNow(
                    .init(channels: [], groups: ["g"], includesState: true, limit: 2)))
    }

    @Test("presence: states")
    func states() throws {
        #expect(
            try endpoint(presence + "/channel/a/uuid/u?channel-group=g")
                == .state(channels: ["a"], groups: ["g"], userID: "u"))
        #expect(
            try endpoint(presence + "/channel/a/uuid/u/data?state=%7B%22count%22:%205%7D")
                == .setState(channels: ["a"], groups: [], userID: "u", state: #"{"count":5}"#))
    }

    @Test(
        "what is wrong with presence is said as presence says it",
        arguments: [
            ("/channel/a/uuid/u/data", 400, "No state specified."),
            ("/channel/a/uuid/u/data?state=", 400, "No state specified."),
            ("/channel/a/uuid/u/data?state=[1]", 400, "Invalid JSON"),
            ("/channel/a/uuid/u/data?state=%7B", 400, "Invalid JSON"),
            ("/channel/a/heartbeat?state=5", 400, "Invalid JSON"),
            ("/channel/a%/heartbeat", 400, "Could Not Parse Request"),
            (
                "/channel/a/heartbeat?heartbeat=x", 400,
                "Invalid Arguments: heartbeat must be an integer."
            ),
            ("/channel/,", 400, "Name a channel or a channel group."),
            (
                "/channel/a/heartbeat?heartbeat=9", 400,
                "The uuid is missing: say in the query who you are, as uuid=NAME."
            ),
            (
                "/channel/a/leave?uuid=", 400,
                "The uuid is missing: say in the query who you are, as uuid=NAME."
            ),
            ("/uuid/", 400, "A uuid has 1 to 255 bytes."),
        ])
    func presenceRefusals(path: String, status: Int, message: String) {
        #expect(
            refusal(.get, presence + path)
                == #"\#(status) {"status":\#(status),"error":1,"message":"\#(message)","#
                + #""service":"Presence"}"#)
    }

    @Test("an action is added with whatever else its object has")
    func additions() throws {
        let body = #"{"type":"reaction","value":"\ud83d\udc4d","x":[{}]}"#
        for digits in ["1234", "00000000000000001234"] {
            #expect(
                try endpoint(actions + "/message/\(digits)?uuid=u", .post, body: body)
                    == .addAction(
                        channel: "room 1", messageTimetoken: tick(1234), type: "reaction",
                        value: "👍"))
        }
    }

    @Test(
        "what is wrong with an action is said as actions say it",
        arguments: [
            ("{}", "type", "Missing field"), (#"{"type":"t"}"#, "value", "Missing field"),
            (#"{"type":"t","value":null}"#, "value", "Missing field"),
            ("[]", "type", "Missing field"),
            (#"{"type":"","value":"v"}"#, "type", "Must be a string of 1 to 64 bytes."),
            (#"{"type":"t","value":5}"#, "value", "Must be a string of 1 to 32768 bytes."),
        ])
    func fieldRefusals(body: String, field: String, problem: String) {
        #expect(
            refusal(.post, actions + "/message/1", body: body)
                == #"400 {"status":400,"error":{"source":"actions","message":"#
                + #""Request payload contained invalid input.","details":["#
                + #"{"message":"\#(problem)","location":"\#(field)","locationType":"body"}]}}"#)
    }

    @Test("an action is somebody's", arguments: ["", "?uuid=", "?pnsdk=x&uuid"])
    func anonymous(query: String) {
        let missing =
            #"400 {"status":400,"error":{"source":"actions","message":"#
            + #""Request payload contained invalid input.","details":["#
            + #"{"message":"Missing field","location":"uuid","locationType":"query"}]}}"#
        let body = #"{"type":"t","value":"v"}"#

        #expect(refusal(.post, actions + "/message/1\(query)", body: body) == missing)
        #expect(refusal(.delete, actions + "/message/1/action/2\(query)") == missing)
    }

    @Test("an action's body is as deep as the daemon reads, or it is said how deep that is")
    func depth() {
        func body(_ levels: Int) -> String {
            let inside =
                String(repeating: "[", count: levels - 1)
                + String(repeating: "]", count: levels - 1)
            return #"{"type":"t","value":"v","x":\#(inside)}"#
        }

        #expect(refusal(.post, actions + "/message/1?uuid=u", body: body(32)) == nil)
        #expect(
            refusal(.post, actions + "/message/1?uuid=u", body: body(33))?.hasSuffix(
                #"{"message":"At most 32 levels of nesting.","location":"body","#
                    + #""locationType":"body"}]}}"#) == true)
    }

    @Test("an action's body is JSON of 32 KiB at most")
    func bodyRefusals() {
        let notJSON =
            #"415 {"status":415,"error":{"message":"Request payload must be in JSON format.","#
            + #""source":"actions"}}"#
        for body in ["", "x", "{", "\u{1F}\u{8B}"] {
            #expect(refusal(.post, actions + "/message/1", body: body) == notJSON)
        }
        let large = String(repeating: " ", count: 32 * 1024 + 1)
        #expect(
            refusal(.post, actions + "/message/1", body: large)
                == #"413 {"status":413,"error":{"message":"Request payload is over 32768 bytes.","#
                + #""source":"actions"}}"#)
    }

    @Test(
        "a message's timetoken is one that can be stored",
        arguments: ["x", "", "-1", "9223372036854775808", "18446744073709551615", "1.5", "%31x"])
    func timetokens(text: String) throws {
        let body = #"{"type":"t","value":"v"}"#
        let answer = try #require(refusal(.post, actions + "/message/\(text)", body: body))

        #expect(answer.hasPrefix(#"400 {"status":400,"error":{"source":"actions","message":"#))
        #expect(answer.hasSuffix(#","location":"messageTimetoken","locationType":"path"}]}}"#))
    }

    @Test("actions are removed and read")
    func removals() throws {
        #expect(
            try endpoint(actions + "/message/5/action/18446744073709551615?uuid=u", .delete)
                == .removeAction(
                    channel: "room 1", messageTimetoken: tick(5),
                    actionTimetoken: tick(UInt64(Int64.max))))
        #expect(
            try endpoint(actions)
                == .actions(.init(channel: "room 1", start: nil, end: nil, limit: 100)))
        #expect(
            try endpoint(actions + "?start=9&end=3&limit=2")
                == .actions(
                    .init(channel: "room 1", start: tick(9), end: tick(3), limit: 2)))
        #expect(
            try endpoint(actions + "?limit=0&start=")
                == .actions(.init(channel: "room 1", start: nil, end: nil, limit: 1)))
        #expect(
            refusal(.get, actions + "?limit=x")
                == #"400 {"status":400,"error":{"source":"actions","message":"#
                + #""Request payload contained invalid input.","details":[{"message":"#
                + #""Must be an integer.","location":"limit","locationType":"query"}]}}"#)
        #expect(
            refusal(.get, "/v1/message-actions//channel/c")
                == #"400 {"status":400,"error":{"source":"actions","message":"Invalid Subkey"}}"#)
    }
}
