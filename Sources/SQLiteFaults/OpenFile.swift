// One connection's view of one file: reads, writes, locks, each of which may fail.

import CSQLite

/// Extended result codes, which are expressions in C.
enum Code {
    static let read = SQLITE_IOERR | (1 << 8)
    static let shortRead = SQLITE_IOERR | (2 << 8)
    static let write = SQLITE_IOERR | (3 << 8)
    static let sync = SQLITE_IOERR | (4 << 8)
    static let truncate = SQLITE_IOERR | (6 << 8)
}

/// What SQLite has in its hands.
final class OpenFile {
    let disk: FaultyDisk
    let name: String
    private let isDeletedOnClose: Bool
    /// One of SQLite's lock levels.
    private var level = SQLITE_LOCK_NONE

    init(_ name: String, on disk: FaultyDisk, isDeletedOnClose: Bool) {
        self.name = name
        self.disk = disk
        self.isDeletedOnClose = isDeletedOnClose
    }

    func close() {
        unlock(to: SQLITE_LOCK_NONE)
        disk.shared(name).leave(self)
        if isDeletedOnClose { disk.remove(name) }
    }

    /// - Returns: SQLite's result code.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        guard disk.mayRead() else { return Code.read }
        let bytes = disk.bytes(of: name)
        let end = min(bytes.count, offset + target.count)
        for index in 0..<target.count {
            unsafe target[index] = offset + index < end ? bytes[offset + index] : 0
        }
        return end - offset < target.count ? Code.shortRead : SQLITE_OK
    }

    // MARK: Locks

    /// - Returns: Whether no other connection is in the way.
    func lock(to wanted: Int32) -> Bool {
        guard wanted > level else { return true }
        let others = disk.locks(of: name).filter { $0.key != ObjectIdentifier(self) }.values
        let highest = others.max() ?? SQLITE_LOCK_NONE
        switch wanted {
        case SQLITE_LOCK_SHARED: guard highest < SQLITE_LOCK_PENDING else { return false }
        case SQLITE_LOCK_RESERVED: guard highest < SQLITE_LOCK_RESERVED else { return false }
        default: guard highest == SQLITE_LOCK_NONE else { return false }
        }
        set(wanted)
        return true
    }

    func unlock(to wanted: Int32) {
        if wanted < level { set(wanted) }
    }

    var isReserved: Bool {
        disk.locks(of: name).values.contains { $0 >= SQLITE_LOCK_RESERVED }
    }

    private func set(_ level: Int32) {
        self.level = level
        disk.setLock(level, of: name, by: self)
    }
}
