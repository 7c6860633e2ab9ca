// What the connections to one write-ahead log share: the index of the log, and eight locks.

import CSQLite

/// The shared memory of one database, for connections of one thread.
///
/// - Source: `sqlite3_io_methods.xShmMap` and its neighbours, as SQLite's unix VFS does it.
@safe final class SharedMemory {
    private var regions: [UnsafeMutableRawPointer] = unsafe []
    private var users: [ObjectIdentifier: Locks] = [:]

    /// Bit n stands for lock n.
    private struct Locks {
        var shared: UInt32 = 0
        var exclusive: UInt32 = 0
    }

    deinit {
        while let region = unsafe regions.popLast() { unsafe region.deallocate() }
    }

    /// A region, made of zeros when it is new; `nil` when it is not there and must not be made.
    func region(_ index: Int, byteCount: Int, isMade: Bool) -> UnsafeMutableRawPointer? {
        while unsafe regions.count <= index {
            guard isMade else { return nil }
            let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
            unsafe region.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
            unsafe regions.append(region)
        }
        return unsafe regions[index]
    }

    /// - Returns: Whether no other connection is in the way.
    func lock(_ first: Int32, _ count: Int32, _ flags: Int32, by user: AnyObject) -> Bool {
        let mask = ((UInt32(1) << UInt32(count)) - 1) << UInt32(first)
        let id = ObjectIdentifier(user)
        var own = users[id] ?? Locks()
        let others = users.filter { $0.key != id }.values
        if flags & SQLITE_SHM_UNLOCK != 0 {
            if flags & SQLITE_SHM_SHARED != 0 {
                own.shared &= ~mask
            } else {
                own.exclusive &= ~mask
            }
        } else if flags & SQLITE_SHM_SHARED != 0 {
            guard others.allSatisfy({ $0.exclusive & mask == 0 }) else { return false }
            own.shared |= mask
        } else {
            guard others.allSatisfy({ ($0.exclusive | $0.shared) & mask == 0 }) else {
                return false
            }
            own.exclusive |= mask
        }
        users[id] = own
        return true
    }

    func leave(_ user: AnyObject) {
        users[ObjectIdentifier(user)] = nil
    }
}
