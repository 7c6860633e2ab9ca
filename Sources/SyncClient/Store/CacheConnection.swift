// SQLite as a device's cache uses it: how its file is opened, and what SQLite's errors become.

import SQL
import SQLite

typealias CacheConnection = SQLiteConnection<DeviceStoreError>
typealias CacheStatement = SQLiteStatement<DeviceStoreError>

extension CacheConnection {
    /// Opens a cache file.
    init(
        path: String, _ opening: SQLiteOpening = .makingFile,
        checkpoints: SQLiteCheckpoints = .automatic
    ) throws(DeviceStoreError) {
        try self.init(path: path, opening, checkpoints: checkpoints) { error in
            if error.isBusy { return .inUse(path: path) }
            return error.isOpening
                ? .cannotOpen(path: path, reason: error.message)
                : .broken(path: path, reason: error.message)
        }
    }
}
