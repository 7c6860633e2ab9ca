// Good tokens are remembered within bounds, and nothing else is.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Checked tokens")
struct CheckedTokensTests {
    private func key(_ number: Int, of keyset: String = "k") -> CheckedTokens.Key {
        CheckedTokens.Key(keyset: ExactText(keyset), token: ExactText("token \(number)"))
    }

    private func grant(patterns: Int = 0) throws -> Grant {
        let pattern = try AccessPattern("a{900}")
        return Grant(
            tenant: ExactText("k"), user: nil, device: nil, expiry: 9,
            permissions: Permissions(
                channels: PermissionTable(
                    patterns: Array(repeating: (pattern, .read), count: patterns))),
            id: TokenID(of: []))
    }

    @Test("a token of a tenant is found by its exact text")
    func finds() throws {
        var checked = CheckedTokens()
        let grant = try grant()
        checked.remember(grant, for: key(1))
        let found = [key(1), key(2), key(1, of: "l")].map { checked.grant(for: $0) }
        #expect(found == [grant, nil, nil])
        checked.forgetAll()
        #expect(checked.count == 0)
    }

    @Test("there are never more than allowed, and one that is shown again stays")
    func count() throws {
        var checked = CheckedTokens()
        let grant = try grant()
        for number in 0..<3 * Limits.checkedTokensMax {
            checked.remember(grant, for: key(number))
            let isKept = checked.grant(for: key(0)) != nil
            guard isKept, checked.count <= Limits.checkedTokensMax else {
                Issue.record("\(checked.count) are remembered, after \(number)")
                return
            }
        }
        let found = [1, 3 * Limits.checkedTokensMax - 1].map { checked.grant(for: key($0)) != nil }
        #expect(found == [false, true])
    }

    @Test("large ones are fewer")
    func bytes() throws {
        var checked = CheckedTokens()
        // Fifty patterns of 900 states.
        let grant = try grant(patterns: 50)
        for number in 0..<20 { checked.remember(grant, for: key(number)) }
        #expect((1...5).contains(checked.count))
    }
}
