// `syncdaemon restore`: a backup, or a moment of an archive, in the place of the data.

import EventModel

extension Copying {
    /// - Returns: The exit code.
    ///
    /// - Parameter moment: Of an archive.
    static func restore(
        _ configuration: Configuration, from source: String, at moment: Timetoken?
    ) -> Int32 {
        report {
            () throws(CopyError) in
            let isArchive = FileSystem.isDirectory(source)
            guard moment == nil || isArchive else { throw .oneMoment(path: source) }
            let target = try path(in: configuration)
            let directory = configuration.directory
            // For as long as this command runs, no daemon starts here.
            let lock = try lock(directory)
            let kept: String?
            let summary: DatabaseSummary
            var (isShort, isOfOthers) = (false, false)
            do throws(DatabaseFileError) {
                (summary, kept) = try replace(target, in: directory, with: source, at: moment)
                if isArchive {
                    let archive = ArchiveDirectory(path: source)
                    isShort = !(try archive.reaches(moment ?? .end))
                    isOfOthers = try archive.isStrange(to: directory)
                }
            } catch {
                throw .file(error)
            }
            _ = consume lock
            let before = kept.map { " What was there is \($0): remove it when all is well." } ?? ""
            // Root's own directory is seldom what was meant.
            let place =
                configuration.sources["store.directory"] == nil
                ? " No --data-dir said where: that is the default here." : ""
            let files =
                summary.files == 0
                ? ""
                : " The contents of its \(summary.files) files belong into \(directory)/files,"
                    + " before the daemon starts."
            let commit =
                isArchive
                ? " Its last commit is \(summary.last), \(summary.last.dateText)." : ""
            let end =
                isShort
                ? " The archive ends there: of what was written"
                    + (moment == nil ? " later" : " from then to that moment")
                    + " it has nothing." : ""
            let next =
                isOfOthers
                ? " Another data directory's archive it was: this one needs one of its own."
                : ""
            return
                "Restored into \(directory): \(target) holds \(summary)."
                + "\(commit)\(end)\(next)\(before)\(files)\(place)"
        }
    }

    /// - Returns: What is there now, and the new name of what was there.
    private static func replace(
        _ target: String, in directory: String, with source: String, at moment: Timetoken?
    ) throws(DatabaseFileError) -> (DatabaseSummary, String?) {
        guard !FileSystem.exists("\(directory)/\(ArchiveDirectory.owner)") else {
            throw .failed(path: directory, reason: "it is an archive, and no data directory")
        }
        try FileSystem.entrust(directory + "/lock", toOwnerOf: directory)
        let part = try PartialFile(of: target)
        let summary =
            FileSystem.isDirectory(source)
            ? try restore(ArchiveDirectory(path: source), at: moment ?? .end, to: part.path)
            : try copy(source, isShared: false, to: part.path)
        let kept: String?
        do throws(DatabaseFileError) {
            try FileSystem.entrust(part.path, toOwnerOf: directory)
            kept = try setAside(target)
        } catch {
            part.discard()
            throw error
        }
        try part.conclude()
        try FileSystem.sync(directory)
        return (summary, kept)
    }

    /// Makes what an archive had at a moment, in a file that gets its real name likewise.
    private static func restore(
        _ archive: ArchiveDirectory, at moment: Timetoken, to part: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        try filling(part, to: 0) { () throws(DatabaseFileError) in
            try archive.restore(moment, to: part)
        }
    }

    /// Gives the present data another name.
    ///
    /// - Returns: That name; `nil` when there is no data.
    private static func setAside(_ path: String) throws(DatabaseFileError) -> String? {
        guard FileSystem.exists(path) else { return nil }
        var name = path + ".replaced"
        var number = 1
        while FileSystem.exists(name) {
            number += 1
            name = "\(path).replaced-\(number)"
        }
        // A damaged file, or a newer one, keeps its log beside it.
        do throws(DatabaseFileError) {
            try DatabaseFile(path: path, isShared: false).takeLogIn()
        } catch {
            complain("syncdaemon: the data that is replaced could not be read: \(error)")
        }
        try FileSystem.link(path, to: name)
        for end in ["-wal", "-shm"] where FileSystem.exists(path + end) {
            try FileSystem.rename(path + end, to: name + end)
        }
        return name
    }
}
