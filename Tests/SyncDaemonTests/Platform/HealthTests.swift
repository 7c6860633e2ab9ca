// The troubles that `/readyz` shows.

import Foundation
import Testing

@testable import SyncDaemon

@Suite("Health")
struct HealthTests {
    @Test("a trouble is there from its report until it is cleared, once, with its newest text")
    func reports() {
        let health = Health()

        #expect(health.troubles.isEmpty)
        #expect(health.report(.ledgerStalled, "Slow."))
        #expect(health.report(.diskFull, "Full."))
        #expect(!health.report(.diskFull, "Fuller."))

        let expected = [
            Health.Trouble(cause: .diskFull, text: "Fuller."),
            Health.Trouble(cause: .ledgerStalled, text: "Slow."),
        ]
        #expect(health.troubles == expected)
        #expect(health.clear(.diskFull))
        #expect(!health.clear(.diskFull))
        #expect(health.troubles.map(\.cause) == [.ledgerStalled])
        #expect(health.has(.ledgerStalled))
        #expect(!health.has(.storeDamaged))
    }

    @Test("the manual says what each name in /readyz means", arguments: Health.Cause.allCases)
    func documented(cause: Health.Cause) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        #expect(manual.contains("\n| `\(cause.rawValue)` | "))
    }
}
