// Tokens that are taken back: how many there may be, and how long they are remembered.

import EventModel

extension Ledger {
    /// Remembers that a token was taken back, until its time is over on every clock.
    func revoke(
        _ token: RevokedToken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        guard try !store.isRevoked(token) else { return .success(.tokenRevoked) }
        let count = try revokedCount(inKeyset: token.keyset)
        guard count < Limits.revokedTokensMax else { return .failure(.tooManyRevoked) }
        revokedCounts[token.keyset] = count + 1
        // Its own time is on the wall clock, which may jump ahead and come back: what is remembered
        // until it is over on the retention clock, too, is not forgotten by a jump.
        let left = max(0, token.expiry - seconds)
        try store.revoke(token, forgettable: moment(secondsAfterNow: left))
        commit.revoked.append(token)
        return .success(.tokenRevoked)
    }

    private func revokedCount(inKeyset keyset: ExactText) throws(StoreError) -> Int {
        if let count = revokedCounts[keyset] { return count }
        return try store.revokedCount(inKeyset: keyset)
    }

    /// Forgets tokens whose time is over.
    func forgetRevoked(_ limit: Int, into commit: inout Commit) throws(StoreError) {
        let forgotten = try store.forgetRevoked(
            before: Timetoken(rawValue: age), expiredAt: seconds, limit: limit)
        for token in forgotten { revokedCounts[token.keyset]? -= 1 }
        commit.forgottenRevoked += forgotten
    }

    func hasForgettableRevoked() throws(StoreError) -> Bool {
        try store.hasForgettableRevoked(before: Timetoken(rawValue: age), expiredAt: seconds)
    }

    /// Unix seconds.
    var seconds: Int64 { Int64(wallTicks() / 10_000_000) }

    /// On the retention clock.
    func moment(secondsAfterNow seconds: Int64) -> Timetoken {
        let (ticks, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 10_000_000)
        let end = Timetoken.end.rawValue - 1
        return Timetoken(rawValue: isTooLong || ticks > end - age ? end : age + ticks)
    }
}
