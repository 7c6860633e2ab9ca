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
        return try checkedSummary(of: part, from: source)
    }

    /// Copies the data of a running daemon page for page, and checks the copy.
    static func copyPages(
        _ source: String, to part: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let original = try DatabaseFile(path: source, isShared: true)
        try original.copyPages(to: part, as: part)
        return try checkedSummary(of: part, from: source)
    }

    /// Of what is wrong with the copy the source is to blame.
    private static func checkedSummary(
        of part: String, from source: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        let copied = try DatabaseFile(path: part, isShared: false, as: source)
        try copied.check()
        return try copied.summary()
    }
}
