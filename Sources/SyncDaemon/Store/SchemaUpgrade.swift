// Bringing a file of an earlier release up to date: a copy of it first, and a word now and then.

import EventModel
import Glibc
import SQL

/// What an operator hears of an upgrade, and has left of the old file.
struct SchemaUpgrade {
    let path: String
    /// The file's.
    let version: Int64
    let log: Log?
    private let start = Clock.monotonicMilliseconds()

    /// Milliseconds between two lines about one long step.
    private static let linesApart = UInt64(Limits.startReminderSeconds) * 1000
    /// Steps of SQLite's machine between two looks at the clock.
    private static let stepsBetweenLooks: Int32 = 1_000_000

    init(path: String, version: Int64, log: Log?) {
        self.path = path
        self.version = version
        self.log = log
    }

    /// Where the file is kept as it was.
    static func copyPath(of path: String, version: Int64) -> String { "\(path).schema-\(version)" }

    /// Says what is about to happen, and keeps a copy of the file when there is room for it.
    ///
    /// - Parameter freeBytes: On the disk; its copy, the upgrade's log and the file's growth may
    ///   each take as much as the file.
    func begin(_ connection: borrowing StoreConnection, freeBytes: Int64?) {
        let bytes = FileSystem.size(path) + FileSystem.size(path + "-wal")
        log?.notice(
            "The database of an earlier release is brought up to date.",
            ["path": path, "from": version, "to": SQLiteSchema.version, "bytes": bytes])
        report(progress: connection)
        guard let freeBytes, freeBytes / 3 >= bytes else {
            log?.warning(
                "There is no room to keep the old database: no copy is made.",
                ["path": path, "bytes": bytes, "free": freeBytes ?? 0])
            return
        }
        let copy = Self.copyPath(of: path, version: version)
        do {
            try keep(connection, as: copy)
            log?.notice("The old database is kept.", ["copy": copy])
        } catch {
            log?.warning("The old database could not be copied.", ["reason": "\(error)"])
        }
    }

    /// Whoever runs this: the copy is the daemon's, as the file is, and nobody else reads it.
    private func keep(_ connection: borrowing StoreConnection, as copy: String) throws {
        let part = try PartialFile(of: copy)
        do {
            try connection.prepare("VACUUM INTO ?").run(.text(part.path))
            try FileSystem.sync(part.path)
            try FileSystem.entrust(part.path, toOwnerOf: FileSystem.directory(of: path))
        } catch {
            part.discard()
            throw error
        }
        try part.conclude()
    }

    func step(_ number: Int, of count: Int) {
        log?.notice("Step of the upgrade.", ["step": number, "of": count])
    }

    func end(_ connection: borrowing StoreConnection) {
        connection.onProgress(every: 0, nil)
        log?.notice("The database is up to date.", ["path": path, "milliseconds": elapsed])
    }

    private var elapsed: UInt64 { Clock.monotonicMilliseconds() - start }

    /// Long steps: a line every ten seconds, and systemd waits for a minute more each time.
    private func report(progress connection: borrowing StoreConnection) {
        var next = start + Self.linesApart
        connection.onProgress(every: Self.stepsBetweenLooks) { [self] in
            let now = Clock.monotonicMilliseconds()
            guard now >= next else { return }
            next = now + Self.linesApart
            ServiceNotifier().starting(
                status: "Bringing the database up to date", forSeconds: 60)
            log?.notice("The upgrade goes on.", ["seconds": elapsed / 1000])
        }
    }
}
