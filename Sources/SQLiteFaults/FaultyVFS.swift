// SQLite's way to a disk: a VFS of its own for each, and the calls that SQLite makes through it.

import Basis
import CSQLite

/// A VFS that is registered for as long as this lives.
///
/// - Source: <https://www.sqlite.org/c3ref/vfs.html>, and `io_methods.html` beside it.
@safe final class FaultyVFS {
    let name: String
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let methods: UnsafeMutablePointer<sqlite3_io_methods>
    private let characters: UnsafeMutableBufferPointer<CChar>

    /// - Parameter disk: Owns this.
    init(of disk: FaultyDisk) {
        name = "faulty-\(UInt(bitPattern: ObjectIdentifier(disk)))"
        let text = name.utf8CString
        unsafe characters = .allocate(capacity: text.count)
        _ = unsafe characters.initialize(from: text)
        unsafe methods = .allocate(capacity: 1)
        unsafe methods.initialize(to: fileMethods)
        unsafe vfs = .allocate(capacity: 1)
        unsafe vfs.initialize(to: systemMethods)
        unsafe vfs.pointee.zName = UnsafePointer(characters.baseAddress)
        // The disk, and where each file finds its methods.
        let system = unsafe System(disk, UnsafePointer(methods))
        unsafe vfs.pointee.pAppData = Unmanaged.passRetained(system).toOpaque()
        unsafe sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        unsafe sqlite3_vfs_unregister(vfs)
        if let system = unsafe vfs.pointee.pAppData {
            unsafe Unmanaged<System>.fromOpaque(system).release()
        }
        unsafe vfs.deallocate()
        unsafe methods.deallocate()
        unsafe characters.deallocate()
    }
}

/// What a VFS finds behind `pAppData`.
@safe private final class System {
    unowned let disk: FaultyDisk
    let methods: UnsafePointer<sqlite3_io_methods>

    init(_ disk: FaultyDisk, _ methods: UnsafePointer<sqlite3_io_methods>) {
        self.disk = disk
        unsafe self.methods = unsafe methods
    }

    static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> System {
        guard let data = unsafe vfs?.pointee.pAppData else {
            preconditionFailure("SQLite calls a VFS that it does not have.")
        }
        return unsafe Unmanaged<System>.fromOpaque(data).takeUnretainedValue()
    }
}

/// An open file as SQLite keeps it: first what SQLite knows of it, then what is ours.
@unsafe private struct FileSlot {
    var base = unsafe sqlite3_file()
    var file: UnsafeMutableRawPointer?
}

private func file(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
    let slot = unsafe UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: FileSlot.self)
    guard let file = unsafe slot?.pointee.file else {
        preconditionFailure("SQLite uses a file that is not open.")
    }
    return unsafe Unmanaged<OpenFile>.fromOpaque(file).takeUnretainedValue()
}

private func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
    _ handle: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ flagsGranted: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let handle = unsafe handle else { return SQLITE_MISUSE }
    let slot = unsafe UnsafeMutableRawPointer(handle).assumingMemoryBound(to: FileSlot.self)
    unsafe slot.initialize(to: FileSlot())
    let system = unsafe System.of(vfs)
    let disk = system.disk
    guard !disk.isDead else { return SQLITE_CANTOPEN }
    let name =
        unsafe path.map { unsafe String(cString: $0) }
        ?? "temporary-\(UInt(bitPattern: handle))"
    guard disk.exists(name) || flags & SQLITE_OPEN_CREATE != 0 else { return SQLITE_CANTOPEN }
    disk.make(name)
    let file = OpenFile(
        name, on: disk, isDeletedOnClose: flags & SQLITE_OPEN_DELETEONCLOSE != 0)
    unsafe slot.pointee.file = Unmanaged.passRetained(file).toOpaque()
    unsafe slot.pointee.base.pMethods = system.methods
    unsafe flagsGranted?.pointee = flags
    return SQLITE_OK
}

private func close(_ handle: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
    let slot = unsafe UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: FileSlot.self)
    guard let pointer = unsafe slot?.pointee.file else { return SQLITE_OK }
    unsafe slot?.pointee.file = nil
    let file = unsafe Unmanaged<OpenFile>.fromOpaque(pointer).takeRetainedValue()
    file.close()
    return SQLITE_OK
}

/// What SQLite does with a file that is open.
private var fileMethods: sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    unsafe methods.xClose = { unsafe close($0) }
    unsafe methods.xRead = { handle, target, count, offset in
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: target, count: Int(count))
        return unsafe file(handle).read(into: bytes, at: Int(offset))
    }
    unsafe methods.xWrite = { handle, source, count, offset in
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: source, count: Int(count)))
        let file = unsafe file(handle)
        return file.disk.write(bytes, at: Int(offset), to: file.name)
    }
    unsafe methods.xTruncate = { handle, count in
        let file = unsafe file(handle)
        return file.disk.truncate(file.name, to: Int(count))
    }
    unsafe methods.xSync = { handle, _ in
        let file = unsafe file(handle)
        return file.disk.sync(file.name)
    }
    unsafe methods.xFileSize = { handle, count in
        let file = unsafe file(handle)
        unsafe count?.pointee = Int64(file.disk.bytes(of: file.name).count)
        return SQLITE_OK
    }
    unsafe methods.xLock = { handle, level in
        unsafe file(handle).lock(to: level) ? SQLITE_OK : SQLITE_BUSY
    }
    unsafe methods.xUnlock = { handle, level in
        unsafe file(handle).unlock(to: level)
        return SQLITE_OK
    }
    unsafe methods.xCheckReservedLock = { handle, answer in
        unsafe answer?.pointee = file(handle).isReserved ? 1 : 0
        return SQLITE_OK
    }
    unsafe methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    unsafe methods.xSectorSize = { _ in 4096 }
    // As the unix VFS says it: a torn write spoils nothing beside it.
    unsafe methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    setSharing(of: &methods)
    return methods
}

private func setSharing(of methods: inout sqlite3_io_methods) {
    unsafe methods.xShmMap = { handle, index, count, isMade, region in
        let file = unsafe file(handle)
        unsafe region?.pointee = file.disk.shared(file.name).region(
            Int(index), byteCount: Int(count), isMade: isMade != 0)
        return SQLITE_OK
    }
    unsafe methods.xShmLock = { handle, first, count, flags in
        let file = unsafe file(handle)
        let isLocked = file.disk.shared(file.name).lock(first, count, flags, by: file)
        return isLocked ? SQLITE_OK : SQLITE_BUSY
    }
    unsafe methods.xShmBarrier = { _ in }
    unsafe methods.xShmUnmap = { handle, _ in
        let file = unsafe file(handle)
        file.disk.shared(file.name).leave(file)
        return SQLITE_OK
    }
}

/// What SQLite does beside files.
private var systemMethods: sqlite3_vfs {
    var vfs = unsafe sqlite3_vfs()
    unsafe vfs.iVersion = 1
    unsafe vfs.szOsFile = Int32(MemoryLayout<FileSlot>.size)
    unsafe vfs.mxPathname = 512
    unsafe vfs.xOpen = { unsafe open($0, $1, $2, $3, $4) }
    unsafe vfs.xDelete = { vfs, path, _ in
        guard let path = unsafe path else { return SQLITE_MISUSE }
        unsafe System.of(vfs).disk.remove(String(cString: path))
        return SQLITE_OK
    }
    unsafe vfs.xAccess = { vfs, path, _, answer in
        guard let path = unsafe path else { return SQLITE_MISUSE }
        unsafe answer?.pointee = System.of(vfs).disk.exists(String(cString: path)) ? 1 : 0
        return SQLITE_OK
    }
    unsafe vfs.xFullPathname = { _, path, count, target in
        guard let path = unsafe path, let target = unsafe target else { return SQLITE_MISUSE }
        unsafe copy(path, to: target, atMost: Int(count))
        return SQLITE_OK
    }
    unsafe vfs.xRandomness = { _, count, target in
        guard let target = unsafe target else { return 0 }
        var dice = SeededGenerator(seed: 1)
        for index in 0..<Int(count) {
            unsafe target[index] = CChar(truncatingIfNeeded: dice.next())
        }
        return count
    }
    // Nobody else runs meanwhile: waiting would change nothing.
    unsafe vfs.xSleep = { _, microseconds in microseconds }
    unsafe vfs.xCurrentTime = { _, day in
        unsafe day?.pointee = 2_460_000
        return SQLITE_OK
    }
    unsafe vfs.xGetLastError = { vfs, _, _ in unsafe System.of(vfs).disk.lastError }
    return unsafe vfs
}

/// Copies a path.
private func copy(
    _ path: UnsafePointer<CChar>, to target: UnsafeMutablePointer<CChar>, atMost count: Int
) {
    var index = 0
    while index < count - 1, unsafe path[index] != 0 {
        unsafe target[index] = unsafe path[index]
        index += 1
    }
    unsafe target[index] = 0
}
