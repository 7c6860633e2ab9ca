// The keys of a tenant's own servers: which files are taken, and what a key is worth.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Server keys")
struct ServerKeysTests {
    private static let one = String(repeating: "a", count: 32)
    private static let two = String(repeating: "b", count: 256)

    private static let many = (0...64).map { key("k\($0)", "\(one)\($0)") }
        .joined(separator: ",")

    private static func key(_ name: String, _ key: String, _ more: String = "") -> String {
        #"{"name":"\#(name)","key":"\#(key)"\#(more)}"#
    }

    @Test(
        "a file that is not one, or has keys that are weak or alike, is refused",
        arguments: [
            (#"{"keys":[7]}"#, .malformed(place: 0, "name")),
            (#"{"keys":[{"name":"","key":"x"}]}"#, .malformed(place: 0, "name")),
            (#"{"keys":[{"name":"a"}]}"#, .malformed(place: 0, "key")),
            (#"{"keys":[\#(key("a", "short"))]}"#, .weak(name: "a")),
            (#"{"keys":[\#(key("a", two + "b"))]}"#, .weak(name: "a")),
            (#"{"keys":[\#(key("a", one + " "))]}"#, .weak(name: "a")),
            (#"{"keys":[\#(key("a", one)),\#(key("a", two))]}"#, .sameName("a")),
            (#"{"keys":[\#(key("a", one)),\#(key("b", one))]}"#, .sameKey("b")),
            (#"{"keys":[\#(key("a", one, #","rights":[]"#))]}"#, .malformed(place: 0, "rights")),
            (
                #"{"keys":[\#(key("a", one, #","permissions":{"channel":{}}"#))]}"#,
                .malformed(place: 0, "permissions")
            ),
            (
                #"{"keys":[\#(many)]}"#, .tooMany
            ),
        ] as [(String, ServerKeyError)])
    func refused(text: String, error: ServerKeyError) {
        #expect(throws: error) { try ServerKeys(text) }
    }

    @Test("what is no JSON is refused in words", arguments: ["", "[", "[]", #"{"key":[]}"#])
    func notJSON(text: String) {
        #expect { try ServerKeys(text) } throws: {
            if case .notJSON = $0 as? ServerKeyError { true } else { false }
        }
    }

    @Test("a key is found by all of it and nothing else")
    func lookup() throws {
        let keys = try ServerKeys(
            #"{"keys":[\#(Self.key("a", Self.one)),\#(Self.key("b", Self.two))]}"#)

        #expect(keys[ServerKeys.id(of: Self.one)]?.name == "a")
        #expect(keys[ServerKeys.id(of: Self.two)]?.name == "b")
        for text in ["", String(Self.one.dropLast()), Self.one + "a", Self.one.uppercased()] {
            #expect(keys[ServerKeys.id(of: text)] == nil)
        }
        #expect(try ServerKeys(#"{"keys":[]}"#)[ServerKeys.id(of: "")] == nil)
    }

    @Test("without permissions it may do everything, with them what they say, for ever")
    func worth() throws {
        let permissions = #","permissions":{"channels":{"room":["read"]}}"#
        let keys = try ServerKeys(
            #"{"keys":[\#(Self.key("a", Self.one)),\#(Self.key("b", Self.two, permissions))]}"#)

        #expect(keys[ServerKeys.id(of: Self.one)]?.credential(in: "sub") == .secretKey)
        guard case .token(let grant)? = keys[ServerKeys.id(of: Self.two)]?.credential(in: "sub")
        else {
            Issue.record("not a grant")
            return
        }
        #expect(grant.user == nil)
        #expect(grant.lacking(.having(.read, on: ["room"]), in: "sub").isEmpty)
        #expect(!grant.lacking(.having(.write, on: ["room"]), in: "sub").isEmpty)
        #expect(!Credential.token(grant).isOver(at: .max - 1))
    }
}
