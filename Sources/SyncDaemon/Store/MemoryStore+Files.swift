// The files of the store in memory.

import EventModel

extension MemoryStore {
    func add(_ file: StoredFile) { working.files[file.id] = file }
    func file(_ id: FileID) -> StoredFile? { working.files[id] }
    func remove(_ file: StoredFile) { working.files[file.id] = nil }
}

extension MemoryStore.State {
    func files(in channel: Channel, after position: Timetoken, limit: Int) -> FilePage {
        let found = files.values.filter { $0.channel == channel && $0.created > position }
        return FilePage(upTo: limit, of: found.sorted { $0.created < $1.created })
    }
}
