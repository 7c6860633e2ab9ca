// What every store keeps of files: a part of the seam to the ledger, and what readers see.

import EventModel

/// The part of ``Store`` that is about files; their contents are not in it.
protocol FileStore {
    /// - Precondition: There is no file with its id.
    func add(_ file: StoredFile) throws(StoreError)

    /// The file with an id, with what the open transaction made of it.
    func file(_ id: FileID) throws(StoreError) -> StoredFile?

    /// - Precondition: It is there.
    func remove(_ file: StoredFile) throws(StoreError)
}

/// The part of ``StoreReader`` that is about files.
protocol FileReading {
    /// Files of a channel that came after a position, ascending.
    func files(
        in channel: Channel, after position: Timetoken, limit: Int
    ) throws(StoreError) -> FilePage

    /// The file with an id; `nil` when there is none.
    func file(_ id: FileID) throws(StoreError) -> StoredFile?
}
