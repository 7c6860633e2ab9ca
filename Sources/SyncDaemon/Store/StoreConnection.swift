// SQLite as the store uses it: how its file is opened, and what SQLite's errors become.

import SQLite

typealias StoreConnection = SQLiteConnection<StoreError>
typealias StoreStatement = SQLiteStatement<StoreError>

extension StoreConnection {
    /// Opens the store's file, for its writer or for a reader: only the writer checkpoints.
    init(path: String, vfs: String? = nil) throws(StoreError) {
        try self.init(path: path, vfs: vfs, checkpoints: .byCaller) { error in
            if error.isOpening { return .cannotOpen(path: path, reason: error.message) }
            if error.isFull { return .full }
            if error.isDamage || error.isForeign {
                return .damaged(path: path, reason: "\(error.message) (SQLite \(error.code))")
            }
            return .broken(code: error.code, reason: "\(path): \(error.message)")
        }
    }
}
