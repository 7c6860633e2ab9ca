// A disk in memory that fills up, fails, loses power and turns bits around, as a test or a
// simulation wants it.

import Basis
import CSQLite

/// The files of one machine.
///
/// SQLite reaches them through a VFS of the disk's own. For one thread.
public final class FaultyDisk {
    /// Files by their paths.
    public typealias Contents = [String: [UInt8]]

    /// How a disk says that it is full.
    public enum Shortage: Sendable {
        /// ENOSPC.
        case space
        /// EDQUOT: SQLite calls that an I/O error.
        case quota
    }

    private var files: [String: DiskFile]
    private var memories: [String: SharedMemory] = [:]
    private var levels: [String: [ObjectIdentifier: Int32]] = [:]
    private var vfs: FaultyVFS?
    /// What the last call that failed left in `errno`.
    private(set) var lastError: Int32 = 0

    /// After so many more changes (writes, truncations, syncs) the power goes.
    public var changesUntilPowerLoss: Int?
    /// After so many more reads one fails.
    public var readsUntilFailure: Int?
    /// After so many more syncs one fails.
    public var syncsUntilFailure: Int?
    /// By how many bytes files may still grow, what is cut off given back; `nil`: without end.
    public var room: Int?
    public var shortage = Shortage.space
    /// Whether the disk says of every sync that it is done, and does nothing.
    public var forgetsSyncs = false
    /// Whether the power is gone: nothing works any more.
    public private(set) var isDead = false
    /// Changes so far.
    public private(set) var changeCount = 0

    public init(_ contents: Contents = [:]) {
        files = contents.mapValues { DiskFile($0) }
        vfs = FaultyVFS(of: self)
    }

    /// What connections name to reach this disk.
    public var vfsName: String { vfs?.name ?? "" }

    // MARK: What becomes of it

    /// The power goes, or the process is killed: no call has an effect from now on.
    public func die() {
        isDead = true
    }

    /// What a process that was killed leaves, and what a backup of the files holds.
    public var contents: Contents { files.mapValues(\.bytes) }

    /// What is left after a power loss: all that was synced, and any part of the rest.
    public func survivors(seed: UInt64) -> Contents {
        var dice = SeededGenerator(seed: seed)
        var contents: Contents = [:]
        // In an order of their own: a dictionary has none.
        for name in files.keys.sorted() {
            guard let left = files[name]?.survivor(&dice) else { continue }
            contents[name] = left
        }
        return contents
    }

    /// Turns one bit of a file around.
    ///
    /// - Returns: The place; `nil` for a file without bytes.
    public func flipBit(of name: String, seed: UInt64) -> Int? {
        var dice = SeededGenerator(seed: seed)
        guard let count = files[name]?.bytes.count, count > 0 else { return nil }
        let index = dice.below(count)
        files[name]?.flip(dice.below(8), of: index)
        return index
    }

    // MARK: What the VFS asks

    func exists(_ name: String) -> Bool { files[name] != nil }

    func make(_ name: String) { if files[name] == nil { files[name] = DiskFile() } }

    func remove(_ name: String) { if !isDead { files[name] = nil } }

    func bytes(of name: String) -> [UInt8] { files[name]?.bytes ?? [] }

    func mayRead() -> Bool {
        guard !isDead, !isOver(&readsUntilFailure) else { return false }
        return true
    }

    /// - Returns: SQLite's result code.
    func write(_ bytes: [UInt8], at offset: Int, to name: String) -> Int32 {
        guard mayChange() else { return fails(Code.write, 5) }
        let growth = max(0, offset + bytes.count - self.bytes(of: name).count)
        if let room {
            guard growth <= room else {
                return shortage == .space ? fails(SQLITE_FULL, 28) : fails(Code.write, 122)
            }
            self.room = room - growth
        }
        files[name]?.write(bytes, at: offset)
        return SQLITE_OK
    }

    func truncate(_ name: String, to count: Int) -> Int32 {
        guard mayChange() else { return fails(Code.truncate, 5) }
        if let room { self.room = room + max(0, bytes(of: name).count - count) }
        files[name]?.truncate(to: count)
        return SQLITE_OK
    }

    func sync(_ name: String) -> Int32 {
        guard mayChange(), !isOver(&syncsUntilFailure) else { return fails(Code.sync, 5) }
        if !forgetsSyncs { files[name]?.sync() }
        return SQLITE_OK
    }

    private func mayChange() -> Bool {
        guard !isDead else { return false }
        if isOver(&changesUntilPowerLoss) { isDead = true }
        changeCount += 1
        return !isDead
    }

    /// Counts down; once 0 is reached it is over, and counts no more.
    private func isOver(_ count: inout Int?) -> Bool {
        guard let left = count else { return false }
        count = left > 0 ? left - 1 : nil
        return left == 0
    }

    private func fails(_ code: Int32, _ error: Int32) -> Int32 {
        lastError = error
        return code
    }

    // MARK: What connections share

    func shared(_ name: String) -> SharedMemory {
        if let memory = memories[name] { return memory }
        let memory = SharedMemory()
        memories[name] = memory
        return memory
    }

    func locks(of name: String) -> [ObjectIdentifier: Int32] { levels[name, default: [:]] }

    func setLock(_ level: Int32, of name: String, by file: OpenFile) {
        levels[name, default: [:]][ObjectIdentifier(file)] =
            level == SQLITE_LOCK_NONE ? nil : level
    }
}
