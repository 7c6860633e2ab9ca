// Damaged targets and bodies: none crashes the decoder, each gets a request or a JSON error.

import Basis
import EventModel
import JSON
import Testing

@testable import SyncDaemon

private let seeds: [(HTTPRequest.Method, String, String)] = [
    (.get, "/time/0?uuid=u", ""),
    (
        .get, "/publish/p/s/0/room%201/0/%22hi%22?meta=%7B%22a%22%3A1%7D&ttl=5&store=1&norep=true",
        ""
    ),
    (.post, "/publish/p/s/0/c/0?custom_message_type=text-1", #"{"a":[1,"👍"]}"#),
    (.get, "/signal/p/s/0/c/0/%22x%22?uuid=u", ""),
    (
        .get,
        "/v2/subscribe/s/a,b%2Fc,foo.*/0?tt=17334108309073692&tr=1&channel-group=g%2Ch"
            + "&heartbeat=300&filter-expr=a%20%3D%3D%20'b'&state=%7B%22a%22:%7B%22b%22:1%7D%7D", ""
    ),
    (.get, "/v2/presence/sub-key/s/channel/a,b/heartbeat?heartbeat=5", ""),
    (.get, "/v2/presence/sub-key/s/channel/,?channel-group=g&limit=5&offset=5&state=1", ""),
    (.get, "/v2/presence/sub-key/s/channel/a/uuid/u/data?state=%7B%22a%22:1%7D", ""),
    (.post, "/v1/message-actions/s/channel/c/message/15", #"{"type":"reaction","value":"👍"}"#),
    (.delete, "/v1/message-actions/s/channel/c/message/15/action/16", ""),
    (.get, "/v1/message-actions/s/channel/c?start=5&end=1&limit=10", ""),
    (.get, "/v3/history/sub-key/s/channel/a,b?max=10&include_meta=true", ""),
    (.get, "/v3/history/sub-key/s/message-counts/a,b?channelsTimetoken=1,2", ""),
    (.get, "/v1/channel-registration/sub-key/s/channel-group/g?add=a,b", ""),
]

private let tokens = [
    "%", "%00", "%FF", "%2C", ",", "/", "?", "&", "=", "+", "%zz", "\u{0}", "\u{301}", "👍", "..",
    "9223372036854775808", "-1", "[[[[", "%7B", "null", "1e999", "-pnpres", ".*", "\"", "%F0%9F",
]

@Suite("Damaged PubNub requests")
struct PubNubRequestFuzzTests {
    @Test("each is a request, an error in JSON, or somebody else's", arguments: UInt64(1)...8)
    func everyAnswerIsOne(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var seen: [Int: Int] = [:]

        for _ in 0..<2500 {
            let (method, target, body) = generator.pick(seeds)
            let request = HTTPRequest(
                method: generator.chance(95) ? method : .patch,
                target: String(decoding: damaged(target, with: &generator), as: UTF8.self),
                body: generator.chance(50) ? Array(body.utf8) : damaged(body, with: &generator))
            switch PubNubRequestDecoder.decode(request, now: sampleTime) {
            case nil: seen[0, default: 0] += 1
            case .success: seen[200, default: 0] += 1
            case .failure(let error):
                let response = error.response
                seen[response.status, default: 0] += 1
                let text = String(decoding: response.body, as: UTF8.self)
                #expect(throws: Never.self, "\(request.target)") {
                    _ = try JSONValue(parsing: text)
                }
            }
        }

        // Otherwise the damage is of one kind only, and the loop proves nothing.
        for status in [0, 200, 400, 404, 405, 415, 481] {
            #expect(seen[status, default: 0] > 0, "\(status) never came up")
        }
        let others = seen.keys.filter { ![0, 200, 400, 404, 405, 413, 415, 481].contains($0) }
        #expect(others.isEmpty)
    }

    private func damaged(_ text: String, with generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<generator.below(4) {
            let position = generator.below(bytes.count + 1)
            let end = min(bytes.count, position + generator.below(8))
            switch generator.below(4) {
            case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8(generator.below(8))
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
            default: bytes.insert(contentsOf: generator.pick(tokens).utf8, at: position)
            }
        }
        return bytes
    }

    @Test("random bytes as a body inflate, or do not, within the limit", arguments: UInt64(1)...8)
    func randomBodies(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let starts: [[UInt8]] = [
            [], [0x1F, 0x8B, 8, 0], [0x78, 0x9C], [0x78, 0xDA], [0x78, 0x01],
        ]

        for _ in 0..<500 {
            let noise = (0..<generator.below(200)).map { _ in UInt8(generator.below(256)) }
            if case .success(let bytes) = RequestBody.inflated(
                generator.pick(starts) + noise, limit: 150)
            {
                #expect(bytes.count <= 150)
            }
        }
    }
}
