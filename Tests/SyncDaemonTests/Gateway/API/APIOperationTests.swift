// The table of the HTTP API, and the document that is made of it.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

@Suite("API operations")
struct APIOperationTests {
    /// What is a session's.
    private static let sessions: Set<Command.Operation> = [
        .hello, .subscribe, .unsubscribe, .follow, .unfollow, .repair, .older, .endLive, .token,
    ]

    @Test("every operation has one row, or is a session's")
    func complete() {
        let rows = APIOperation.all.map(\.operation)
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows).union(Self.sessions) == Set(Command.Operation.allCases))
        #expect(Set(rows).isDisjoint(with: Self.sessions))
    }

    @Test("the document has every route once, with a refusal for each, and no reference dangles")
    func document() throws {
        let document = try JSONValue(parsing: OpenAPI.document(admitsAnybody: false))
        let paths = try document.object("paths").members
        let expected = APIOperation.all.map { "/" + $0.path } + ["/v1/batch", "/v1/stream"]
        #expect(paths.map(\.name).sorted() == expected.sorted())
        for (_, methods) in paths {
            let (_, operation) = try #require(methods.members.first)
            #expect(try operation.object("responses").memberNames == ["200", "default"])
        }
        let schemas = try document.object("components").object("schemas").memberNames
        let text = String(decoding: OpenAPI.document(admitsAnybody: false), as: UTF8.self)
        for reference in text.split(separator: #""$ref":"#).dropFirst() {
            let name = reference.dropFirst("\"#/components/schemas/".count).prefix { $0 != "\"" }
            #expect(schemas.contains(String(name)))
        }
    }

    /// Found by a client that was generated from it: a text behind "allOf" was taken for an object,
    /// and a page's end, which said no type, for one too.
    @Test("what a member is stands beside what is said of it, and a page's end is a text")
    func generated() throws {
        let text = String(decoding: OpenAPI.document(admitsAnybody: false), as: UTF8.self)
        #expect(!text.contains(#""allOf""#))
        let document = try JSONValue(parsing: text)
        for path in ["/v1/users", "/v1/history", "/v1/actions"] {
            let answer = try document.object("paths").object(path).object("get")
                .object("responses").object("200").object("content").object("application/json")
                .object("schema").object("properties").object("next")
            #expect(answer.compactText.contains(#""anyOf":[{"type":"string"}"#), "\(path)")
            #expect(answer.memberNames.contains("description"))
        }
        #expect(text.contains(#""ok":{"description":"The answer of the operation"#))
    }

    @Test(
        "a request that is not looked at is refused in its own dialect's words",
        arguments: [
            ("/v1/publish", true), ("/v1/history?channel=x", true), ("/v1/stream", true),
            ("/v1/sync", false), ("/v1/publish/x", false), ("/v2/history", false), ("/", false),
        ])
    func dialect(target: String, isOne: Bool) {
        let request = HTTPRequest(method: .get, target: target)
        #expect((API.refusal(.overloaded, of: request) != nil) == isOne)
        #expect((API.response(to: .bodyTooLong(request)) != nil) == isOne)
        let line = "GET " + target + (target.contains("?") ? "" : "?") + "xxxxxxxxxxxx"
        #expect((API.response(to: .targetTooLong(beginning: line)) != nil) == isOne)
    }
}
