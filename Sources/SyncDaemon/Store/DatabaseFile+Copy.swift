// A copy of a database as a file of its own: whole, checked and on the disk before it has its name.

import EventModel

extension DatabaseFile {
    /// Copies a file, and checks the copy.
    ///
    /// - Parameters:
    ///   - isShared: Whether a daemon may use the source meanwhile.
    ///   - part: Where to; a new or empty file.
    static func copy(
        _ source: String, isShared: Bool, to part: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let original = try DatabaseFile(path: source, isShared: isShared)
        try original.copy(to: part, as: part)
        // Of what is wrong with the copy the source is to blame.
        let copied = try DatabaseFile(path: part, isShared: false, as: source)
        try copied.check()
        return try copied.summary()
    }

    /// Copies the data of a running daemon page for page, and checks the copy.
    static func copyPages(
        _ source: String, to part: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let original = try DatabaseFile(path: source, isShared: true)
        try original.copyPages(to: part, as: part)
        let copied = try DatabaseFile(path: part, isShared: false, as: source)
        try copied.check()
        return try copied.summary()
    }

    /// Copies the data of a running daemon to a file that must not exist; nothing is left of one
    /// that fails.
    ///
    /// - Precondition: The process makes files for itself alone.
    static func backUp(
        _ source: String, to target: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let part = try PartialFile(of: target)
        // Looked for under the lock: another backup may have been about to finish it.
        guard !FileSystem.exists(target) else {
            part.discard()
            throw .exists(path: target)
        }
        let summary: DatabaseSummary
        do throws(DatabaseFileError) {
            summary = try copy(source, isShared: true, to: part.path)
        } catch {
            part.discard()
            throw error
        }
        try part.conclude()
        try FileSystem.sync(FileSystem.directory(of: target))
        return summary
    }
}
