// What every store keeps of grants of version 2: a part of the seam to the ledger.

import EventModel

/// The part of ``Store`` that is about grants to auth keys.
protocol KeyGrantStore {
    /// Keeps a grant in the place of a former one for the same.
    ///
    /// - Parameter forgettable: When it may be forgotten, on the retention clock.
    func put(_ grant: KeyGrant, forgettable: Timetoken) throws(StoreError)

    /// Forgets a grant; nothing happens when there is none.
    func takeBack(_ subject: KeyGrantSubject) throws(StoreError)

    func hasKeyGrant(_ subject: KeyGrantSubject) throws(StoreError) -> Bool

    /// Every grant, in no order.
    func allKeyGrants() throws(StoreError) -> [KeyGrant]

    /// Grants of a keyset; `nil`: of all.
    ///
    /// - Complexity: O(n) in their number.
    func keyGrantCount(inKeyset keyset: ExactText?) throws(StoreError) -> Int

    /// Whether ``forgetKeyGrants(before:expiredAt:limit:)`` would find any.
    func hasForgettableKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64
    ) throws(StoreError) -> Bool

    /// Forgets at most `limit` grants that may be forgotten before a moment and whose expiry, in
    /// Unix seconds, is `seconds` or earlier.
    ///
    /// - Returns: Those that it forgot.
    func forgetKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) throws(StoreError) -> [KeyGrantSubject]
}
