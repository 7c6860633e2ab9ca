// Which paths and methods are PubNub's, and what the others are told.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("PubNub paths")
struct PubNubRouteTests {
    @Test(
        "a preflight is answered on every path of PubNub's",
        arguments: ["/publish/x", "/v2/objects/s/uuids", "/v1/message-actions/%zz", "/time"])
    func preflights(target: String) throws {
        #expect(try #require(decoded(.options, target)).get().endpoint == .preflight)
    }

    @Test(
        "what is not PubNub's is somebody else's",
        arguments: [
            "/", "", "*", "/healthz", "/v1/sync", "/v1", "/v4/history/x", "/v2/publish/p/s/0/c/0",
            "/Publish/p", "/%70ublish/p/s/0/c/0/1", "http://x/time/0",
        ])
    func others(target: String) {
        #expect(decoded(.get, target) == nil)
    }

    @Test(
        "an unknown path is not found, in the words of its endpoint",
        arguments: [
            (
                "/v2/presence/demo/demo/channel/x/heartbeat",
                #"{"message":"Not found: '/v2/presence/demo/demo/channel/x/heartbeat'","error":1,"#
                    + #""service":"Presence"}"#
            ),
            (
                "/time/1?x",
                #"{"message":"Not found: '/time/1'","error":true,"#
                    + #""service":"SyncDaemon","status":404}"#
            ),
            ("/publish/x", #"[0,"Not found: '/publish/x'","17334108309073692"]"#),
            (
                "/v1/message-actions/s",
                #"{"status":404,"error":{"source":"actions","message":"#
                    + #""Not found: '/v1/message-actions/s'"}}"#
            ),
        ])
    func notFound(target: String, body: String) {
        #expect(refusal(.get, target) == "404 \(body)")
    }

    @Test(
        "a wrong method is told the right ones",
        arguments: [
            ("POST", "/time/0", "GET, HEAD, OPTIONS"),
            ("DELETE", "/v2/subscribe/s/c/0", "GET, HEAD, OPTIONS"),
            ("GET", "/publish/p/s/0/c/0", "POST, OPTIONS"),
            ("POST", "/publish/p/s/0/c/0/1", "GET, HEAD, OPTIONS"),
            ("PATCH", "/v3/history/sub-key/s/channel/c", "GET, HEAD, DELETE, OPTIONS"),
            ("", "/v1/message-actions/s/channel/c/message/1", "POST, OPTIONS"),
        ])
    func methods(method: String, target: String, allowed: String) throws {
        let method = try #require(HTTPRequest.Method(rawValue: method))
        guard case .failure(let error)? = decoded(method, target) else {
            Issue.record("\(target) was accepted")
            return
        }

        #expect(error.response.status == 405)
        #expect(error.response[header: "Allow"] == allowed)
        let lines = String(decoding: error.response.encoded(), as: UTF8.self).split(
            separator: "\r\n")
        #expect(lines.filter { $0.hasPrefix("Allow:") } == ["Allow: \(allowed)"])
    }

    @Test(
        "what is wrong with a request about a device is said as PubNub does",
        arguments: [
            ("/v1/push/sub-key/s/devices/aa", "type argument"),
            ("/v1/push/sub-key/s/devices/aa?type=x", "type argument"),
            ("/v1/push/sub-key/s/devices/aa?type=apns&add=c", "device token"),
            ("/v1/push/sub-key/s/devices/?type=fcm", "device token"),
            ("/v2/push/sub-key/s/devices-apns2/aa?topic=", "topic argument"),
            ("/v2/push/sub-key/s/devices-apns2/aa?topic=t&environment=x", "environment argument"),
            ("/v1/push/sub-key/s/devices/aa?type=gcm&add=a.*", "channel name"),
        ])
    func devices(target: String, what: String) {
        #expect(refusal(.get, target) == #"400 {"error":"Invalid \#(what)"}"#)
    }

    @Test("addresses of files themselves are not PubNub's")
    func files() {
        #expect(refusal(.post, "/v1/files/upload/x") == nil)
        #expect(refusal(.get, "/v1/files/download/x/y") == nil)
        #expect(refusal(.get, "/v1/files/s/channels/c")?.hasPrefix("404 ") == true)
    }
}
