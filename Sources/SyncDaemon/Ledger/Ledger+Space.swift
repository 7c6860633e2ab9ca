// What the ledger does about room on the disk: when nothing is written, and when none is left.

import EventModel

extension Ledger {
    /// Gives some of the free space in the store's files back; for when nothing is written.
    ///
    /// - Returns: Whether there is more.
    func giveSpaceBack(failure: inout StoreError?) -> Bool {
        guard !quarantine.holds(.housekeeping) else { return false }
        do throws(StoreError) {
            return try store.giveSpaceBack()
        } catch {
            if case .damaged = error, quarantine.isolate(.housekeeping, error) { return false }
            failure = error
            return false
        }
    }

    /// Has the store empty its log: on a full disk, before anything else is tried.
    func emptyLog(failure: inout StoreError?) {
        var found: StoreError? = .full
        _ = makesRoom(after: &found)
        failure = found == .full ? nil : found
    }

    /// Whether a transaction that found no room finds some now.
    ///
    /// - Parameter failure: Its own; becomes `nil`, or what the disk failed with meanwhile.
    func makesRoom(after failure: inout StoreError?) -> Bool {
        guard failure == .full else { return false }
        do throws(StoreError) {
            guard try store.emptyLog() else { return false }
            failure = nil
            return true
        } catch {
            failure = error
            return false
        }
    }
}
