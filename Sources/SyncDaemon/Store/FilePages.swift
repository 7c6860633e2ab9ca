// The pages of a database file, counted.

import SQL

/// What a file has; a server sees to its own.
final class FilePages {
    private let free: StoreStatement
    private let all: StoreStatement
    /// Bytes of each.
    let size: Int

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        free = try connection.prepare("PRAGMA freelist_count")
        all = try connection.prepare("PRAGMA page_count")
        size = Int(try connection.prepare("PRAGMA page_size").first { $0.integer(0) } ?? 0)
    }

    func freeCount() throws(StoreError) -> Int64 {
        try free.first { $0.integer(0) } ?? 0
    }

    func count() throws(StoreError) -> Int64 {
        try all.first { $0.integer(0) } ?? 0
    }
}
