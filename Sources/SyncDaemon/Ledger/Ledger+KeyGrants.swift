// Grants of version 2: how many there may be, and when they are forgotten.

import EventModel

extension Ledger {
    /// Makes and takes back what one request asks for: all of it, or nothing.
    ///
    /// - Parameter grants: Of one keyset, each for something else.
    func grant(
        _ grants: [KeyGrant], into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        guard let keyset = grants.first?.subject.keyset else { return .success(.keysGranted) }
        let before = try keyGrantCount(inKeyset: keyset)
        var count = before
        for grant in grants {
            let stands = try store.hasKeyGrant(grant.subject)
            count += (grant.bits == 0 ? 0 : 1) - (stands ? 1 : 0)
        }
        let all = try allKeyGrantCount() - before + count
        guard count <= before || count <= mostKeyGrants(besides: all) else {
            return .failure(.tooManyKeyGrants)
        }
        keyGrantCounts[keyset] = count
        allKeyGrants = all
        for grant in grants {
            if grant.bits == 0 {
                try store.takeBack(grant.subject)
            } else {
                // As a token that was taken back: a jump of the wall clock forgets none.
                let left = max(0, grant.expiry - seconds)
                try store.put(grant, forgettable: moment(secondsAfterNow: left))
            }
        }
        commit.keyGrants += grants
        return .success(.keysGranted)
    }

    /// How many a keyset may have, when all keysets have so many.
    ///
    /// All of them are in memory, and are loaded at each start: no keyset has more than is free for
    /// the others.
    private func mostKeyGrants(besides all: Int) -> Int {
        let room = Limits.fitting(
            Limits.keyGrantsOfAllMax, each: Limits.keyGrantMemoryBytes,
            within: accounts.pressure.max)
        return min(Limits.keyGrantsMax, room - all)
    }

    private func keyGrantCount(inKeyset keyset: ExactText) throws(StoreError) -> Int {
        if let count = keyGrantCounts[keyset] { return count }
        return try store.keyGrantCount(inKeyset: keyset)
    }

    private func allKeyGrantCount() throws(StoreError) -> Int {
        if let allKeyGrants { return allKeyGrants }
        return try store.keyGrantCount(inKeyset: nil)
    }

    /// Forgets grants whose time is over.
    func forgetKeyGrants(_ limit: Int, into commit: inout Commit) throws(StoreError) {
        let forgotten = try store.forgetKeyGrants(
            before: Timetoken(rawValue: age), expiredAt: seconds, limit: limit)
        for subject in forgotten { keyGrantCounts[subject.keyset]? -= 1 }
        allKeyGrants? -= forgotten.count
        commit.forgottenKeyGrants += forgotten
    }

    func hasForgettableKeyGrants() throws(StoreError) -> Bool {
        try store.hasForgettableKeyGrants(before: Timetoken(rawValue: age), expiredAt: seconds)
    }
}
