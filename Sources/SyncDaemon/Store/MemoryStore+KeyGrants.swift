// The grants of version 2 in the store in memory.

import Basis
import EventModel

extension MemoryStore {
    func put(_ grant: KeyGrant, forgettable: Timetoken) {
        working.keyGrants[grant.subject] = (grant, forgettable)
    }

    func takeBack(_ subject: KeyGrantSubject) {
        working.keyGrants[subject] = nil
    }

    func hasKeyGrant(_ subject: KeyGrantSubject) -> Bool { working.keyGrants[subject] != nil }

    func allKeyGrants() -> [KeyGrant] { working.keyGrants.values.map(\.grant) }

    func keyGrantCount(inKeyset keyset: ExactText?) -> Int {
        guard let keyset else { return working.keyGrants.count }
        return working.keyGrants.keys.count { $0.keyset == keyset }
    }

    private func forgettable(
        before moment: Timetoken, at seconds: Int64
    ) -> some Collection<KeyGrantSubject> {
        working.keyGrants.filter {
            $0.value.forgettable < moment && $0.value.grant.expiry <= seconds
        }.keys
    }

    func hasForgettableKeyGrants(before moment: Timetoken, expiredAt seconds: Int64) -> Bool {
        !forgettable(before: moment, at: seconds).isEmpty
    }

    func forgetKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) -> [KeyGrantSubject] {
        let forgotten = Array(forgettable(before: moment, at: seconds).prefix(limit))
        for subject in forgotten { working.keyGrants[subject] = nil }
        return forgotten
    }
}
