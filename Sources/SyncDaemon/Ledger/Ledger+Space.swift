// What the ledger does about room on the disk: when nothing is written, and when none is left.

import EventModel

extension Ledger {
    /// Gives some of the free space in the store's files back; for when nothing is written.
    ///
    /// - Parameter isFull: The disk has no room: then it gets all that is free, a little at a time.
    /// - Returns: Whether there is more.
    func giveSpaceBack(toFullDisk isFull: Bool = false, failure: inout StoreError?) -> Bool {
        guard !quarantine.holds(.housekeeping) else { return false }
        do throws(StoreError) {
            return isFull ? try store.giveRoomBack() : try store.giveSpaceBack()
        } catch {
            if case .damaged = error, quarantine.isolate(.housekeeping, error) { return false }
            failure = error
            return false
        }
    }

    /// Copies the log into the file, and empties it unless somebody reads from it.
    func copyLog(failure: inout StoreError?) {
        do throws(StoreError) {
            try store.copyLog()
        } catch {
            switch error {
            // The log stays as it is, and what is in it is durable.
            case .full, .damaged: break
            default: failure = error
            }
        }
    }

    /// Commits what found no room, without deleting anything at once: a page for each row that
    /// goes is more than a full disk has, and to hide them takes no more than any small write.
    ///
    /// If that finds none either, deletions alone: they make room, and others take it.
    func hideInstead(
        _ writes: [Write], after reserved: Timetoken, failure: inout StoreError?
    ) -> Commit {
        var found: StoreError?
        let all = commit(
            writes, after: reserved, deletingExpired: 0, rowsMax: 0, failure: &found)
        let deletions = writes.filter(\.frees)
        guard found == .full, !deletions.isEmpty, deletions.count < writes.count else {
            failure = found ?? failure
            return all
        }
        found = nil
        var few = commit(
            deletions, after: reserved, deletingExpired: 0, rowsMax: 0, failure: &found)
        failure = .full
        guard found == nil else { return all }
        few.answers += writes.filter { !$0.frees }.map {
            Answer(origin: $0.origin, result: .failure(.storeFull))
        }
        return few
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

extension Write {
    /// Whether it takes rows away, and may put that off.
    fileprivate var frees: Bool {
        switch operation {
        case .deleteMessage, .deleteMessages, .clear: true
        default: false
        }
    }
}
