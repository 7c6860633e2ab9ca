// The databases as the store uses them: how they are opened, and what their errors become.

import Postgres
import SQLite

typealias StoreConnection = DatabaseConnection<StoreError>
typealias StoreStatement = DatabaseStatement<StoreError>

extension StoreConnection {
    /// Opens the store's file, for its writer or for a reader: only the writer checkpoints.
    init(path: String, vfs: String? = nil) throws(StoreError) {
        self = .sqlite(
            try SQLiteConnection(path: path, vfs: vfs, checkpoints: .byCaller) { error in
                if error.isOpening { return .cannotOpen(path: path, reason: error.message) }
                if error.isFull { return .full }
                if error.isDamage || error.isForeign {
                    return .damaged(path: path, reason: "\(error.message) (SQLite \(error.code))")
                }
                return .broken(code: error.code, reason: "\(path): \(error.message)")
            })
    }
}
