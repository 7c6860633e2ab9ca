// The part of the simulated store about files; no world has any yet.

import EventModel

@testable import SyncDaemon

extension SimulatedStore {
    func add(_ file: StoredFile) throws(StoreError) {
        try call()
        try platter.add(file)
    }

    func file(_ id: FileID) throws(StoreError) -> StoredFile? { try platter.file(id) }

    func remove(_ file: StoredFile) throws(StoreError) {
        try call()
        try platter.remove(file)
    }
}
