// A file of a channel, as a list names it.

/// One file.
public struct FileEntry: Hashable, Sendable {
    public let id: String
    public let name: String
    public let size: Int
    /// When it came.
    public let created: Timetoken

    public init(id: String, name: String, size: Int, created: Timetoken) {
        self.id = id
        self.name = name
        self.size = size
        self.created = created
    }
}
