// The revoked tokens of the store in memory.

import Basis
import EventModel

extension MemoryStore {
    func revoke(_ token: RevokedToken, forgettable: Timetoken) {
        guard !isRevoked(token) else { return }
        working.revoked[token] = forgettable
    }

    func isRevoked(_ token: RevokedToken) -> Bool {
        working.revoked.keys.contains { ($0.keyset, $0.id) == (token.keyset, token.id) }
    }

    func allRevoked() -> [RevokedToken] { Array(working.revoked.keys) }

    func revokedCount(inKeyset keyset: ExactText) -> Int {
        working.revoked.keys.count { $0.keyset == keyset }
    }

    private func forgettable(before moment: Timetoken, at seconds: Int64) -> [RevokedToken] {
        working.revoked.filter { $0.value < moment && $0.key.expiry <= seconds }.map(\.key)
    }

    func hasForgettableRevoked(before moment: Timetoken, expiredAt seconds: Int64) -> Bool {
        !forgettable(before: moment, at: seconds).isEmpty
    }

    func forgetRevoked(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) -> [RevokedToken] {
        let forgotten = Array(forgettable(before: moment, at: seconds).prefix(limit))
        for token in forgotten { working.revoked[token] = nil }
        return forgotten
    }
}
