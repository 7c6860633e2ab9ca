// Every error body, byte for byte as PubNub's service writes it.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

private let tooMany = ProtocolError.tooManyChannels(1, per: "x")

/// An endpoint of each family.
private let endpoints: [PubNubRequest.Endpoint] = [
    .time, .signal(channel: "c", Message(payload: "1")), .whereNow(userID: "u"),
    .removeAction(channel: "c", messageTimetoken: .zero, actionTimetoken: .zero),
    .deleteMessages(channel: "c", start: nil, end: nil), .group(.listAll),
]

private let poll = PubNubRequest.Endpoint.subscribe(
    .init(channels: ["c"], groups: [], cursor: .zero, beat: .init(channels: ["c"], groups: [])))

@Suite("PubNubError")
struct PubNubErrorTests {
    static let bodies: [(PubNubError, String)] = [
        (
            .couldNotParse(.gateway),
            #"400 {"message":"Could Not Parse Request","error":true,"service":"Access Manager","#
                + #""status":400}"#
        ),
        (
            .invalidSubscribeKey(.publish(sampleTime)),
            #"400 {"message":"Invalid Subscribe Key","error":true,"service":"Access Manager","#
                + #""status":400}"#
        ),
        (
            .invalidSubscribeKey(.actions),
            #"400 {"status":400,"error":{"source":"actions","message":"Invalid Subkey"}}"#
        ),
        (.invalidPublishKey(at: sampleTime), #"400 [0,"Invalid Key","17334108309073692"]"#),
        (.messageTooLarge(at: sampleTime), #"400 [0,"Message Too Large","17334108309073692"]"#),
        (.signalTooLarge(at: sampleTime), #"400 [0,"Signal size too large","17334108309073692"]"#),
        (
            .forbidden(.publish(sampleTime), channels: ["c"]),
            #"403 {"message":"Forbidden","payload":{"channels":["c"]},"error":true,"#
                + #""service":"Access Manager","status":403}"#
        ),
        (
            .forbidden(.gateway, channels: ["c"], groups: ["g", "h"]),
            #"403 {"message":"Forbidden","payload":{"channels":["c"],"channel-groups":["g","h"]},"#
                + #""error":true,"service":"Access Manager","status":403}"#
        ),
        (
            .forbidden(.actions),
            #"403 {"status":403,"error":{"source":"actions","message":"Supplied authorization key "#
                + #"does not have the permissions required to perform this operation."}}"#
        ),
        (
            .requestTooLong,
            #"414 {"message":"Request URI Too Long","error":true,"#
                + #""service":"Balancer","status":414}"#
        ),
        (
            .malformedFilter("Why."),
            #"481 {"message":"Why.","error":true,"service":"SyncDaemon","status":481}"#
        ),
        (
            .noState,
            #"400 {"status":400,"error":1,"message":"No state specified.","service":"Presence"}"#
        ),
        (
            .actionExists,
            #"409 {"status":409,"error":{"source":"actions","message":"Action Already Added"}}"#
        ),
        (
            .wrongActionOwner,
            #"400 {"status":400,"error":{"source":"actions","message":"#
                + #""Not deleting message action: wrong uuid specified"}}"#
        ),
        (
            .noMatchingAction,
            #"400 {"status":400,"error":{"source":"actions","message":"#
                + #""No matching message actions to delete"}}"#
        ),
        (
            .invalidAction("Missing field", "value", in: "body"),
            #"400 {"status":400,"error":{"source":"actions","message":"#
                + #""Request payload contained invalid input.","details":[{"message":"#
                + #""Missing field","location":"value","locationType":"body"}]}}"#
        ),
        (
            .actionIsNotJSON,
            #"415 {"status":415,"error":{"message":"Request payload must be in JSON format.","#
                + #""source":"actions"}}"#
        ),
        (
            .invalidHistoryArguments,
            #"400 {"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#
        ),
        (
            .reservedCharacter,
            #"400 {"status":400,"message":"Reserved character in input parameters.","#
                + #""service":"channel-registry","error":true}"#
        ),
        (
            .tooManyRequests(.actions),
            #"429 {"status":429,"error":{"message":"You have exceeded the maximum number of "#
                + #"requests per second allowed for your subscriber key.","source":"actions"}}"#
        ),
        (
            .tooManyRequests(.gateway),
            #"429 {"message":"Too many requests.","error":true,"service":"Access Manager","#
                + #""status":429}"#
        ),
        (
            .unexpected(.actions),
            #"500 {"status":500,"error":{"message":"An unexpected error ocurred while processing "#
                + #"the request.","source":"actions"}}"#
        ),
        (
            .serviceUnavailable(.actions),
            #"503 {"status":503,"error":{"message":"The server took longer to respond than the "#
                + #"maximum allowed processing time.","source":"actions"}}"#
        ),
    ]

    @Test("each body is the documented one", arguments: bodies)
    func body(error: PubNubError, expected: String) {
        #expect(text(of: error) == expected)
    }

    @Test("each response has what browsers and SDKs look for", arguments: bodies.map(\.0))
    func headers(error: PubNubError) {
        let response = error.response

        #expect(response.contentType == #"text/javascript; charset="UTF-8""#)
        #expect(response.isForPages)
        #expect(response[header: "Access-Control-Allow-Origin"] == nil)
        #expect(
            response[header: "Access-Control-Allow-Methods"]
                == "GET, POST, PATCH, DELETE, OPTIONS")
        #expect(response[header: "Access-Control-Expose-Headers"] == "*")
        #expect(
            response[header: "Cache-Control"]
                == (error.status == 403 ? "no-cache, no-store, must-revalidate" : "no-cache"))
        #expect(response[header: "X-Pn-Cause"] == (error.status == 403 ? "9999" : nil))
        let isTransient = error.status == 429 || error.status == 503
        #expect(response[header: "Retry-After"] == (isTransient ? "1" : nil))
    }

    @Test("what a client wrote is escaped")
    func escaped() throws {
        let error = PubNubError.notFound("/x\"'\u{1}", .presence)

        let json = try JSONValue(parsing: String(decoding: error.response.body, as: UTF8.self))
        #expect(try json.string("message") == "Not found: '/x\"'\u{1}'")
    }

    @Test(
        "a busy daemon is one to come back to, in every family",
        arguments: [
            ProtocolError.overloaded, .draining, .storeUnavailable, .interceptorFailed,
            .interceptorUnclear,
        ])
    func busy(error: ProtocolError) {
        for endpoint in endpoints {
            let response = PubNubError(error, for: endpoint, at: sampleTime).response
            #expect(response.status == 503)
            #expect(response[header: "Retry-After"] == "1")
        }
        let answer = PubNubError(error, for: poll, at: sampleTime)
        #expect(answer == .tooManyRequests(.gateway))
    }

    @Test("who asks too often is told so, in every family")
    func limited() {
        let statuses = (endpoints + [poll]).map {
            PubNubError(.rateLimited, for: $0, at: sampleTime).response.status
        }
        #expect(statuses == [429, 429, 429, 429, 429, 429, 429])
        #expect(
            text(of: PubNubError(.rateLimited, for: endpoints[1], at: sampleTime))
                == #"429 [0,"Too many requests.","17334108309073692"]"#)
    }

    @Test("other refusals keep their status and text, and what is unknown is ours")
    func others() {
        let endpoint = endpoints[1]
        #expect(
            text(of: PubNubError(.storeFull, for: endpoint, at: sampleTime))
                == #"507 [0,"The disk is full; nothing was applied. "#
                + #"Ask the operator, then retry.","#
                + #""17334108309073692"]"#)
        #expect(PubNubError(tooMany, for: endpoint, at: sampleTime).message == tooMany.message)
        #expect(PubNubError(tooMany, for: endpoint, at: sampleTime).status == 400)
        let unknown = ProtocolError(status: 599, code: "x", message: "x")
        #expect(
            PubNubError(unknown, for: poll, at: sampleTime) == .unexpected(.gateway))
    }
}
