// The failing store's part about files.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func add(_ file: StoredFile) { base.add(file) }
    func file(_ id: FileID) -> StoredFile? { base.file(id) }
    func remove(_ file: StoredFile) { base.remove(file) }
}
