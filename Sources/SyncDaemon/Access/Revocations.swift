// Tokens that were taken back, until their own time is over.

import EventModel

/// The revoked tokens of a tenant.
struct Revocations: Hashable, Sendable {
    /// When each expires, in Unix seconds: after that nobody needs to remember it.
    private var expiries: [TokenID: Int64] = [:]

    var count: Int { expiries.count }

    func contains(_ id: TokenID) -> Bool { expiries[id] != nil }

    /// Takes a token back.
    ///
    /// - Returns: `false` when there is no room, even without those whose time is over; the token
    ///   is good still.
    mutating func revoke(_ grant: Grant, at now: Int64) -> Bool {
        if expiries.count >= Limits.revokedTokensMax, !contains(grant.id) { forget(at: now) }
        guard expiries.count < Limits.revokedTokensMax || contains(grant.id) else { return false }
        expiries[grant.id] = grant.expiry
        return true
    }

    /// Forgets those that are refused anyway because their time is over.
    mutating func forget(at now: Int64) {
        expiries = expiries.filter { $0.value > now }
    }
}
