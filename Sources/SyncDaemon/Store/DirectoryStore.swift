// What every store knows of directories: a part of the seam to the ledger.

import EventModel
import JSON

/// The part of ``Store`` that finds entries among the messages of a directory.
///
/// An entry is a message of the type ``Directory/messageType``; its id is the member `id` of its
/// payload.
protocol DirectoryStore {
    /// The entry with an id, with what the open transaction made of it; `nil` when there is none.
    func entry(_ id: ExactText, in directory: Channel) throws(StoreError) -> DirectoryEntry?

    /// Up to `limit` entries, in the order of their ids.
    func entries(in directory: Channel, limit: Int) throws(StoreError) -> [DirectoryEntry]
}

extension DirectoryEntry {
    /// - Returns: `nil` for a message that is no entry.
    init?(_ stored: StoredMessage) {
        guard stored.message.type == Directory.messageType,
            let content = try? JSONValue(
                parsing: stored.message.payload, depthMax: Limits.jsonDepthMax),
            let id = content.member("id")?.string
        else { return nil }
        self.init(id: id, content: stored.message.payload, timetoken: stored.timetoken)
    }
}
