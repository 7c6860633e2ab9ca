// The failing store's part about grants of version 2, read marks and directories.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func put(_ grant: KeyGrant, forgettable: Timetoken) throws(StoreError) {
        try pass(.grant)
        base.put(grant, forgettable: forgettable)
    }

    func takeBack(_ subject: KeyGrantSubject) throws(StoreError) {
        try pass(.grant)
        base.takeBack(subject)
    }

    func entry(_ id: ExactText, in directory: Channel) -> DirectoryEntry? {
        base.entry(id, in: directory)
    }

    func entries(in directory: Channel, limit: Int) -> [DirectoryEntry] {
        base.entries(in: directory, limit: limit)
    }

    func readMark(of user: String, in channel: Channel) -> Timetoken? {
        base.readMark(of: user, in: channel)
    }

    func setReadMark(_ timetoken: Timetoken, of user: String, in channel: Channel) {
        base.setReadMark(timetoken, of: user, in: channel)
    }

    func hasKeyGrant(_ subject: KeyGrantSubject) -> Bool { base.hasKeyGrant(subject) }
    func allKeyGrants() -> [KeyGrant] { base.allKeyGrants() }

    func keyGrantCount(inKeyset keyset: ExactText?) -> Int {
        keyGrantCounts += keyset == nil ? 0 : 1
        return base.keyGrantCount(inKeyset: keyset) + furtherKeyGrants
    }

    func hasForgettableKeyGrants(before moment: Timetoken, expiredAt seconds: Int64) -> Bool {
        base.hasForgettableKeyGrants(before: moment, expiredAt: seconds)
    }

    func forgetKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) -> [KeyGrantSubject] {
        base.forgetKeyGrants(before: moment, expiredAt: seconds, limit: limit)
    }
}
