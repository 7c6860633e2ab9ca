// Tokens that were taken back, until their own time is over; in memory, for every thread.

import Basis
import EventModel

/// A token that was taken back.
struct RevokedToken: Hashable, Sendable {
    /// The tenant's subscribe key: tokens of two tenants may have one id.
    let keyset: ExactText
    let id: TokenID
    /// Unix seconds: from then on it is refused anyway.
    let expiry: Int64
}

extension RevokedToken {
    init(_ grant: Grant) {
        self.init(keyset: grant.tenant, id: grant.id, expiry: grant.expiry)
    }
}

/// All revoked tokens of all tenants, as of the newest commit that was applied.
///
/// It holds what the store holds: at most ``Limits/revokedTokensMax`` of a tenant.
final class Revocations: Sendable {
    private let tokens = Locked<[ExactText: Set<TokenID>]>([:])

    /// - Parameter revoked: What the store holds at the start.
    init(_ revoked: [RevokedToken] = []) {
        apply(revoked)
    }

    /// - Complexity: O(1).
    func contains(_ id: TokenID, of keyset: ExactText) -> Bool {
        tokens.withLock { $0[keyset]?.contains(id) ?? false }
    }

    /// Those of a tenant, in an order that stays the same.
    ///
    /// - Parameter id: The first of them that is wanted.
    func all(of keyset: ExactText, from id: String, limit: Int) -> [TokenID] {
        let all = tokens.withLock { $0[keyset] ?? [] }
        return all.filter { $0.text >= id }.sorted { $0.text < $1.text }.prefix(limit).map(\.self)
    }

    /// Takes over what a commit changed; commits come in their order.
    ///
    /// - Parameter forgotten: Tokens whose time is over.
    func apply(_ revoked: [RevokedToken], forgotten: [RevokedToken] = []) {
        guard !revoked.isEmpty || !forgotten.isEmpty else { return }
        tokens.withLock { tokens in
            for token in forgotten { tokens[token.keyset]?.remove(token.id) }
            for token in revoked { tokens[token.keyset, default: []].insert(token.id) }
        }
    }
}
