// Where a copy of a store comes from and goes to: a file of a directory, and a schema of a server.

import EventModel
import SQL

/// Why there is no copy; nothing is left of it.
enum StoreCopyError: Error, CustomStringConvertible {
    case noData(at: String)
    case notEmpty(String)
    case served(String)
    case differs(String)
    case store(StoreError)
    case file(DatabaseFileError)

    var description: String {
        switch self {
        case .noData(let place): "There is no data of syncdaemon in \(place). Check the name."
        case .notEmpty(let place):
            "There is data of syncdaemon in \(place) already. Name another place, or remove that"
                + " data if nobody needs it."
        case .served(let place):
            "A daemon runs on \(place), or another copy is under way there. Stop it first:"
                + " systemctl stop syncdaemon.socket syncdaemon.service (or Ctrl-C, where no"
                + " systemd runs it)."
        case .differs(let what):
            "What was copied is not what was to be copied: \(what). The copy is thrown away. Check"
                + " the data (docs/OPERATIONS.md, \"When the file is damaged\")."
        case .store(let error): error.description
        case .file(let error): error.description
        }
    }
}

extension StoreCopy {
    /// Told now and then what happens to which table, and with how many rows so far.
    typealias Progress = (_ doing: String, _ table: String, _ rows: Int) -> Void

    /// Copies a database file to a schema that has no data yet.
    ///
    /// All is one transaction: whatever ends it early leaves nothing.
    ///
    /// - Precondition: No daemon uses the file.
    static func copy(
        file path: String, to target: String, schema: String, progress: @escaping Progress
    ) throws(StoreCopyError) -> StoreCopySummary {
        try check(path)
        let place = DatabasePlace.server(target: target, schema: schema)
        var summary: StoreCopySummary?
        do throws(StoreError) {
            let old = try StoreConnection(path: path)
            try old.execute(old.dialect.beginReading)
            let new = try place.connect(for: .ledger)
            try new.execute(new.dialect.beginWriting)
            guard try new.lockOutOfMaking() else { throw .inUse(path: place.name) }
            if try !PostgresSchema.exists(new, name: place.name, schema: schema) {
                try PostgresSchema.make(new, schema: schema)
                _ = try new.lockOut(ofSchema: schema)
                summary = try StoreCopy(from: old, to: new, progress: progress).finish()
            }
        } catch {
            throw .store(error)
        }
        guard let summary else { throw .notEmpty(place.name) }
        if let difference = summary.difference { throw .differs(difference) }
        return summary
    }

    /// Copies a schema to a new or empty file, which is sound and on the disk afterwards.
    static func copy(
        from source: String, schema: String, to path: String, progress: @escaping Progress
    ) throws(StoreCopyError) -> StoreCopySummary {
        let place = DatabasePlace.server(target: source, schema: schema)
        var summary: StoreCopySummary?
        do throws(StoreError) {
            let old = try place.connect(for: .ledger)
            if try PostgresSchema.exists(old, name: place.name, schema: schema) {
                guard try old.lockOut(ofSchema: schema) else { throw .inUse(path: place.name) }
                try old.execute(old.dialect.beginReading)
                let new = try StoreConnection(path: path)
                var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
                try SQLiteSchema.prepare(new, path: path, using: &generator)
                // Nobody relies on the new file before it is whole.
                try new.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN IMMEDIATE")
                summary = try StoreCopy(from: old, to: new, progress: progress).finish()
            }
        } catch {
            if case .inUse(let name) = error { throw .served(name) }
            throw .store(error)
        }
        guard let summary else { throw .noData(at: place.name) }
        if let difference = summary.difference { throw .differs(difference) }
        do throws(DatabaseFileError) {
            try DatabaseFile(path: path, isShared: false).check()
            try FileSystem.sync(path)
        } catch {
            throw .file(error)
        }
        return summary
    }

    /// That a file is one of this release's, and sound.
    private static func check(_ path: String) throws(StoreCopyError) {
        do throws(DatabaseFileError) {
            let file = try DatabaseFile(path: path, isShared: false)
            guard file.version == SQLiteSchema.version else {
                throw .older(path: path, version: file.version)
            }
            try file.check()
        } catch {
            if case .absent = error { throw .noData(at: path) }
            throw .file(error)
        }
    }

    /// Copies, and commits what is equal.
    private consuming func finish() throws(StoreError) -> StoreCopySummary {
        let summary = try run()
        guard summary.difference == nil else { return summary }
        try new.prepare("COMMIT").run(expecting: "COMMIT")
        guard new.dialect == .postgres else { return summary }
        // Plans are made from what the server knows of its tables.
        for table in try CopiedTable.all() { try new.execute("ANALYZE \(table.name)") }
        return summary
    }
}
