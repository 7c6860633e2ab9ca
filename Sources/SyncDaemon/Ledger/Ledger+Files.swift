// Files: their rows come when their contents are on the disk, and go before those do.

import EventModel

/// What is to become of a file.
enum FileChange: Sendable, Hashable {
    /// Its contents are on the disk.
    case add(StoredFile)
    /// One of the write's channel, if it has this name.
    case remove(FileID, name: String)
}

extension Ledger {
    func change(
        _ change: FileChange, for write: Write, at timetoken: Timetoken
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        switch change {
        case .add(var file):
            guard try store.file(file.id) == nil else { return .success(.absent) }
            file.created = timetoken
            try store.add(file)
            return .success(.fileChanged)
        case .remove(let id, let name):
            guard let file = try store.file(id), file.channel == write.channel,
                ExactText(file.name) == ExactText(name)
            else { return .success(.absent) }
            try store.remove(file)
            return .success(.fileChanged)
        }
    }
}

extension FileChange {
    var fields: [String] {
        switch self {
        case .add(let file): ["add", file.id.text, file.name, file.userID]
        case .remove(let id, let name): ["remove", id.text, name]
        }
    }
}
