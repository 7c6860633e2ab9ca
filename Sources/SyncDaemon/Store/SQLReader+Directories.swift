// Entries of directories, as of one commit for each look.

import EventModel
import SQL

extension SQLReader {
    func entry(_ id: ExactText, in directory: Channel) throws(StoreError) -> DirectoryEntry? {
        try beginTransaction()
        defer { endTransaction() }
        return try findEntry(id, in: directory)
    }

    func readOn(
        _ scan: inout EntryScan, in directory: Channel, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try beginTransaction()
        defer { endTransaction() }
        guard let channel = try self.id(of: directory) else { return scan.end() }
        if let only = scan.only {
            if let entry = try findEntry(only, in: directory) { try look(at: entry, for: &scan) }
            return scan.end()
        }
        repeat {
            var entries: [DirectoryEntry] = []
            var count = 0
            try statements.directories.list.query(
                .integer(channel), .text(scan.position), .integer(Int64(Self.entriesPerLook))
            ) { row in
                count += 1
                if let entry = DirectoryEntry(storedMessage(row, in: channel)) {
                    entries.append(entry)
                }
                return true
            }
            try checkRows()
            for entry in entries where !scan.isOver { try look(at: entry, for: &scan) }
            if count < Self.entriesPerLook { scan.end() }
        } while !scan.isOver && mayGoOn()
    }

    private func look(at entry: DirectoryEntry, for scan: inout EntryScan) throws(StoreError) {
        let subject = try scan.subject(of: entry).flatMap { subject throws(StoreError) in
            try findEntry(subject.id, in: subject.directory)
        }
        scan.look(at: entry, subject)
    }

    private func findEntry(
        _ id: ExactText, in directory: Channel
    ) throws(StoreError) -> DirectoryEntry? {
        guard let channel = try self.id(of: directory) else { return nil }
        let found = try statements.directories.find.first(
            [.integer(channel), .text(id.string), .integer(1)]
        ) { DirectoryEntry(storedMessage($0, in: channel)) }
        try checkRows()
        return found ?? nil
    }

    private static let entriesPerLook = 100
}
