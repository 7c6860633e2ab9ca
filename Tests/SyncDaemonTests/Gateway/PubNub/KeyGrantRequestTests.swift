// grant and audit of version 2, as SDKs spell them, and the answers as the service does.

import EventModel
import Testing

@testable import SyncDaemon

private let granting = "/v2/auth/grant/sub-key/s"
private let auditing = "/v2/auth/audit/sub-key/s"

@Suite("PubNub's Access Manager, version 2")
struct KeyGrantRequestTests {
    private func request(_ query: String) throws -> PubNubRequest.KeyGrantRequest {
        guard case .grantKeys(let request) = try endpoint(granting + "?" + query) else {
            throw StoreError.full
        }
        return request
    }

    @Test("a grant names channels, groups and keys, each once")
    func names() throws {
        #expect(
            try request("auth=a,b,a&channel=c%2Cd.*,c&channel-group=g&r=1&w=0&m=1&ttl=5")
                == PubNubRequest.KeyGrantRequest(
                    channels: ["c", "d.*"], groups: ["g"], authKeys: ["a", "b"], bits: 5,
                    minutes: 5))
        #expect(
            try request("r=1&w=1&m=1&d=1&g=1&u=1&j=1")
                == PubNubRequest.KeyGrantRequest(
                    channels: [], groups: [], authKeys: [], bits: 239, minutes: 1440))
    }

    @Test("each name is granted to each key, until the same moment")
    func grants() throws {
        let request = try request("auth=a,b&channel=c&channel-group=g&w=1&ttl=2")
        #expect(
            request.grants(in: "s", at: 100)
                == [KeyGrantSubject.Level.channel, .group].flatMap { level in
                    ["a", "b"].map {
                        KeyGrant.room(
                            $0, of: "s", level: level, name: level == .channel ? "c" : "g", bits: 2,
                            expiry: 220)
                    }
                })
        #expect(try self.request("r=1&ttl=0").grants(in: "s", at: 1).map(\.expiry) == [.max])
        #expect(
            try self.request("channel=c").grants(in: "s", at: 0).map(\.subject)
                == [.room(nil, of: "s", name: "c")])
    }

    @Test(
        "what is wrong with a grant is said, and where",
        arguments: [
            ("r=2", "r"), ("r=true", "r"), ("ttl=525601", "ttl"), ("ttl=-1", "ttl"),
            ("ttl=", "ttl"), ("channel=&r=1", "channel"), ("channel=,&r=1", "channel"),
            ("channel=a,,b", "channel"), ("channel-group=", "channel-group"),
            ("channel=a&auth=", "auth"), ("channel=a&auth=,k", "auth"),
            ("ttl=1.5", "ttl"), ("ttl=9999999", "ttl"), ("auth=a&r=1", "auth"),
            ("channel=c&auth=" + String(repeating: "a", count: 257), "auth"),
            ("channel=" + String(repeating: "a", count: 1000), "channel"),
            ("channel=c&r=1&r=0", "r"), ("channel=c&ttl=5&ttl=0", "ttl"),
            ("channel=c&auth=a%0Ab", "auth"), ("channel=c&auth=%7F", "auth"),
            ("channel=%07", "channel"), ("channel-group=%07", "channel-group"),
            ("channel=" + (0...200).map { "c\($0)" }.joined(separator: ","), "channel"),
            (
                "channel=" + (0...20).map { "c\($0)" }.joined(separator: ",") + "&auth="
                    + (0..<10).map { "k\($0)" }.joined(separator: ","), "channel"
            ),
        ])
    func wrong(query: String, location: String) throws {
        let text = try #require(refusal(.get, granting + "?" + query))
        #expect(text.hasPrefix("400 "))
        #expect(text.contains(#""source":"grant""#))
        #expect(text.contains(#""location":"\#(location)","locationType":"query""#))
    }

    @Test("what is not here is said", arguments: ["target-uuid=u", "category=channels"])
    func absent(query: String) {
        let text = refusal(.get, "\(granting)?g=1&auth=a&\(query)")
        #expect(text?.hasPrefix("501 ") == true)
        #expect(text?.contains("grant_token") == true)
    }

    @Test("an audit names what it wants, at most so many")
    func audit() throws {
        #expect(
            try endpoint(auditing + "?channel=c,d&channel-group=g&auth=a")
                == .auditKeys(
                    KeyGrantQuery(channels: ["c", "d"], groups: ["g"], authKeys: ["a"])))
        #expect(try endpoint(auditing) == .auditKeys(KeyGrantQuery()))
        let many = (0...200).map { "c\($0)" }.joined(separator: ",")
        #expect(
            refusal(.get, "\(auditing)?channel=\(many)")?.contains(#""source":"audit""#) == true)
        #expect(refusal(.get, "\(auditing)?auth=\(many)")?.hasPrefix("400 ") == true)
        #expect(refusal(.get, "\(auditing)?target-uuid=a")?.hasPrefix("501 ") == true)
        #expect(refusal(.post, auditing)?.hasPrefix("405 ") == true)
        #expect(refusal(.get, "/v2/auth/nothing/sub-key/s")?.hasPrefix("404 ") == true)
    }

    // MARK: Answers

    private static let rights = #""r":1,"w":1,"m":0,"d":0,"g":0,"u":0,"j":0"#

    @Test(
        "an answer to a grant is the service's",
        arguments: [
            ("", #""level":"subkey","subscribe_key":"s","ttl":1440,\#(rights)"#),
            (
                "channel=c",
                #""level":"channel","subscribe_key":"s","ttl":1440,"channels":{"c":{\#(rights)}}"#
            ),
            (
                "channel=c&auth=a",
                #""level":"user","subscribe_key":"s","ttl":1440,"channel":"c","#
                    + #""auths":{"a":{\#(rights)}}"#
            ),
            (
                "channel=c,d&auth=a",
                #""level":"user","subscribe_key":"s","ttl":1440,"channels":{"#
                    + #""c":{"auths":{"a":{\#(rights)}}},"d":{"auths":{"a":{\#(rights)}}}}"#
            ),
            (
                "channel-group=g",
                #""level":"channel-group","subscribe_key":"s","ttl":1440,"#
                    + #""channel-groups":{"g":{\#(rights)}}"#
            ),
            (
                "channel-group=g&auth=a%22",
                #""level":"channel-group+auth","subscribe_key":"s","ttl":1440,"#
                    + #""channel-groups":"g","auths":{"a\"":{\#(rights)}}"#
            ),
        ])
    func granted(query: String, payload: String) throws {
        let answer = PubNubReplyEncoder.granted(try request("r=1&w=1&" + query), in: "s")
        #expect(
            text(of: answer) == #"200 {"message":"Success","payload":{\#(payload)},"#
                + #""service":"Access Manager","status":200}"#)
    }

    @Test("an answer to an audit has what stands, and the minutes that are left")
    func audited() {
        func audited(_ query: KeyGrantQuery, _ grants: [KeyGrant]) -> String {
            let answer = text(
                of: PubNubReplyEncoder.audited(grants, for: query, in: "s", at: 100))
            return answer.replacing(Self.rights, with: "RW")
        }
        func answer(_ payload: String) -> String {
            #"200 {"message":"Success","payload":{\#(payload)},"service":"Access Manager","#
                + #""status":200}"#
        }
        #expect(
            audited(
                KeyGrantQuery(),
                [
                    .room(nil, level: .keyset, name: "", expiry: KeyGrant.never),
                    .room(nil, name: "c", expiry: 161), .room("a", name: "c", expiry: 160),
                    .room("a", level: .group, name: "g", expiry: 101),
                ])
                == answer(
                    #""level":"subkey","subscribe_key":"s",RW,"channels":{"c":{RW,"ttl":2,"#
                        + #""auths":{"a":{RW,"ttl":1}}}},"#
                        + #""channel-groups":{"g":{"auths":{"a":{RW,"ttl":1}}}}"#))
        #expect(
            audited(
                KeyGrantQuery(channels: ["c"], authKeys: ["a"]),
                [.room("a", name: "c", expiry: 160)])
                == answer(
                    #""level":"user","subscribe_key":"s","channel":"c","#
                        + #""auths":{"a":{RW,"ttl":1}}"#))
        #expect(
            audited(KeyGrantQuery(groups: ["g"], authKeys: ["a"]), [])
                == answer(
                    #""level":"channel-group+auth","subscribe_key":"s","channel-group":"g","#
                        + #""auths":{}"#))
    }
}
