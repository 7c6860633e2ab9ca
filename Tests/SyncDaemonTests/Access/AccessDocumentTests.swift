// docs/ACCESS.md says what the code does: its example is read, its tables are complete.

import EventModel
import Foundation
import JSON
import Testing

@testable import SyncDaemon

@Suite("Access as it is documented")
struct AccessDocumentTests {
    private static func manual() throws -> String {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/ACCESS.md").standardized
        return try String(contentsOf: path, encoding: .utf8)
    }

    @Test("the claims that the manual shows are good, and allow what it says")
    func example() throws {
        let manual = try Self.manual()
        let start = try #require(manual.firstRange(of: "```json\n")).upperBound
        let end = try #require(manual[start...].firstRange(of: "```")).lowerBound
        let claims = JSONWebClaims(try JSONValue(parsing: String(manual[start..<end])))

        try claims.check(
            JSONWebTokenRules(
                tenant: "sub-example", issuer: "https://id.example", audience: "syncdaemon"),
            at: 1_795_000_000)
        #expect(try claims.user() == ExactText("alice"))
        #expect(try claims.device() == ExactText("alice-phone"))
        #expect(try claims.expiry() == 1_795_003_600)
        let permissions = try claims.permissions()
        func rights(_ name: String) -> Rights { permissions.rights(on: Channel(name)) }
        #expect(rights("lobby") == [.read, .history, .presence])
        #expect(rights("room-42") == [.read, .write, .react, .unreact, .history])
        #expect(rights("room-") == [] && rights("my-room-42") == [])
        #expect(permissions.groups.rights(on: "friends") == [.read, .manage])
        #expect(permissions.users.rights(on: "alice") == [.get, .update])
    }

    @Test("the manual has a row for each right and each refusal")
    func tables() throws {
        let manual = try Self.manual()
        for (word, _) in Rights.words { #expect(manual.contains("\n| `\(word)` |"), "\(word)") }
        for refusal in AccessRefusal.allCases {
            #expect(manual.contains("\n| `\(refusal)` |"), "\(refusal)")
        }
        for algorithm in JSONWebAlgorithm.allCases {
            #expect(manual.contains("\n| `\(algorithm.rawValue)` |"), "\(algorithm)")
        }
    }

    @Test("the patterns that the manual shows match what it says")
    func patterns() throws {
        for (text, name, matches) in [
            ("room", "bathroom", true), ("^room$", "bathroom", false), ("^room$", "room", true),
        ] {
            #expect(try AccessPattern(text).matches(name) == matches)
            #expect(try Self.manual().contains("`\(text)`"))
        }
    }
}
