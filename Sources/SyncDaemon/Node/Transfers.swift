// `syncctl export` and `import`: which files they mean, and what they came to.

import EventModel
import Glibc

/// What an export or an import came to, in words and numbers.
struct TransferSummary {
    var numbers: [(name: String, value: Int)]
    var sentence: String
    var remarks: [String] = []
}

/// Both commands.
enum Transfers {
    typealias Listener = (_ rows: Int, _ percent: Int?) -> Void

    // MARK: Export

    static func export(
        _ selection: StoreSelection, of database: String, includesRemoved: Bool,
        files: String? = nil, to target: String?, tell: @escaping Listener
    ) throws(TransferError) -> TransferSummary {
        umask(0o077)
        guard let target else {
            return try write(
                selection, of: database, includesRemoved: includesRemoved, files: files,
                to: TransferOutput(nil), tell: tell)
        }
        let part = try filing { () throws(DatabaseFileError) in try PartialFile(of: target) }
        let summary: TransferSummary
        do throws(TransferError) {
            guard !FileSystem.exists(target) else { throw .file(.exists(path: target)) }
            let path = part.path
            summary = try interruptibly(
                takesAll: true,
                saying: "Interrupted: \(target) was not made. Run the command again."
                    + (files.map { " Contents in \($0) are not copied again." } ?? ""),
                cleaning: { PartialFile.remove(path) }
            ) { () throws(TransferError) -> TransferSummary in
                let summary = try write(
                    selection, of: database, includesRemoved: includesRemoved, files: files,
                    to: TransferOutput(path, as: target), tell: tell)
                try filing { () throws(DatabaseFileError) in try FileSystem.sync(path) }
                return summary
            }
        } catch {
            part.discard()
            throw error
        }
        do throws(DatabaseFileError) {
            try part.conclude()
            try FileSystem.sync(directory(of: target))
        } catch {
            throw .file(error)
        }
        return summary
    }

    private static func write(
        _ selection: StoreSelection, of database: String, includesRemoved: Bool,
        files: String?, to output: consuming TransferOutput, tell: @escaping Listener
    ) throws(TransferError) -> TransferSummary {
        let contents = try files.map { target throws(TransferError) in
            try Self.contents(from: Self.files(beside: database), to: target)
        }
        let dump = try filing { () throws(DatabaseFileError) in try StoreDump(path: database) }
        let isOfAll = selection == StoreSelection()
        let size = try filing { () throws(DatabaseFileError) in try dump.size() }
        let report = try Exporter(
            dump, selection, includesRemoved: includesRemoved, contents: contents,
            to: output
        ) { rows in
            tell(rows, isOfAll && size > 0 ? min(99, rows * 100 / size) : nil)
        }.run()
        var summary = TransferSummary(
            numbers: report.counts.numbers + [
                ("bytes", Int(report.bytes)), ("fileBytes", contents?.bytes ?? 0),
                ("leftOut", report.filesLeftOut),
            ],
            sentence: "Exported \(report.counts), \(report.bytes) bytes, as of \(dump.last).")
        for channel in report.wrongDigests {
            summary.remarks.append(
                "The digest of \(LogText.quoted(channel.name)) is not that of its rows: those are"
                    + " exported, with the digest that they have.")
        }
        if files == nil, report.counts.files > 0 {
            summary.remarks.append(
                "The contents of \(report.counts.files) files are not in it: --files DIR copies"
                    + " them.")
        }
        if report.filesLeftOut > 0 {
            summary.remarks.append(
                "\(report.filesLeftOut) files have no contents, or were removed meanwhile: they are"
                    + " left out.")
        }
        return summary
    }

    /// Where contents of files are, by where the database is.
    private static func files(beside database: String) -> String {
        FileSystem.directory(of: database) + "/files"
    }

    private static func contents(
        from source: String, to target: String
    ) throws(TransferError) -> FileContents {
        do throws(FileError) {
            return try FileContents(from: FileSystem.exists(source) ? source : nil, to: target)
        } catch {
            throw .contents(error)
        }
    }

    // MARK: Import

    /// - Parameters:
    ///   - into: The tenant in whose place the file's is put.
    ///   - files: Where contents of files are, besides in the data directory.
    ///   - directory: `nil`: nothing is written.
    static func `import`(
        _ input: consuming TransferInput, into: String?, keeps: Bool, files: String? = nil,
        directory: String?, tell: @escaping Listener
    ) throws(TransferError) -> TransferSummary {
        var lines = TransferLines(input)
        let (head, text) = try Importer.head(of: &lines)
        guard into == nil || head.selection.keyset != nil else {
            throw .allTenants(path: lines.name)
        }
        if let channel = head.selection.halfMemberships {
            throw .halfMemberships(channel: channel)
        }
        let progress = ImportProgress(
            head: text, into: into, offset: lines.offset, line: lines.number)
        let now = Clock.wallTicks()
        guard let directory else {
            let report = try Importer(
                lines, head: head, from: progress, into: nil, latest: .latest(at: now), tell: tell
            ).run()
            return summary(of: report, isTrial: true)
        }
        let place = ImportPlace(directory)
        try place.check()
        let opened = try intake(of: directory, secret: head.secret)
        var merge: Merge?
        do throws(TransferError) {
            let start = try start(of: progress, size: lines.size, in: opened)
            let made = try Merge(
                opened, keeps: keeps, outcome: start.outcome,
                contents: try contents(from: files, into: directory), now: now)
            merge = made
            let report = try Importer(
                lines, head: head, from: start, into: made, latest: made.latest, tell: tell
            ).run()
            return summary(of: report, isTrial: false)
        } catch {
            withExtendedLifetime(opened) { if merge?.hasKept != true { place.leaveNothing() } }
            throw error.naming(directory)
        }
    }

    /// Where an earlier run of the same import stopped, or its beginning.
    ///
    /// - Parameter size: Bytes of the file; `nil`: nobody knows.
    private static func start(
        of progress: ImportProgress, size: Int64?, in intake: StoreIntake
    ) throws(TransferError) -> ImportProgress {
        let noted = try storing { () throws(StoreError) in try intake.noted() }
        guard let noted = noted.flatMap(ImportProgress.init),
            noted.isPlace(of: progress, in: intake.store, size: size)
        else { return progress }
        return noted
    }

    private static func contents(
        from source: String?, into directory: String
    ) throws(TransferError) -> FileContents {
        do throws(FileError) {
            return try FileContents(
                from: source, to: directory + "/files", keepingFree: Limits.fileReserveBytes,
                ownerOf: directory)
        } catch {
            throw .contents(error)
        }
    }

    /// - Parameter reader: What the file is in the words of.
    static func `import`(
        _ input: consuming TransferInput, by reader: some ForeignReader, into keyset: String,
        keeps: Bool, directory: String?, tell: @escaping Listener
    ) throws(TransferError) -> TransferSummary {
        let report: ForeignImport.Report
        if let directory {
            report = try foreign(input, by: reader, into: keyset, keeps: keeps, directory, tell)
        } else {
            report = try ForeignImport(
                input, keyset: keyset, latest: .latest(at: Clock.wallTicks()), into: nil,
                tell: tell
            ).run(reader)
        }
        var summary = summary(of: report.counts, report.outcome, isTrial: directory == nil)
        summary.remarks += report.unmapped.sorted.map { "not taken over: \($0.what): \($0.count)" }
        summary.numbers.append(
            ("unmapped", report.unmapped.sorted.reduce(0) { $0 + $1.count }))
        return summary
    }

    private static func foreign(
        _ input: consuming TransferInput, by reader: some ForeignReader, into keyset: String,
        keeps: Bool, _ directory: String, _ tell: @escaping Listener
    ) throws(TransferError) -> ForeignImport.Report {
        let place = ImportPlace(directory)
        try place.check()
        let now = Clock.wallTicks()
        var merge: Merge?
        // Only for a file that has something: of another one nothing is to be left.
        let open = { () throws(TransferError) -> Merge in
            let made = try Merge(try intake(of: directory, secret: nil), keeps: keeps, now: now)
            merge = made
            return made
        }
        do throws(TransferError) {
            return try ForeignImport(
                input, keyset: keyset, latest: .latest(at: now), into: open, tell: tell
            ).run(reader)
        } catch {
            withExtendedLifetime(merge) { if merge?.hasKept == false { place.leaveNothing() } }
            throw error.naming(directory)
        }
    }

    /// Opens a data directory as a daemon does, or makes it.
    private static func intake(
        of directory: String, secret: DigestSecret?
    ) throws(TransferError) -> StoreIntake {
        umask(0o077)
        let path = SQLStore.path(in: directory)
        try filing { () throws(DatabaseFileError) in try checkLayout(of: path) }
        do throws(StoreError) {
            let store = try SQLStore(directory: directory, secret: secret)
            try store.limitCache(to: Limits.transferCacheBytesMax)
            let intake = try StoreIntake(store)
            // Whoever runs this: the files are the daemon's.
            for file in ["\(directory)/lock", path, path + "-wal", path + "-shm"]
            where FileSystem.exists(file) {
                try? FileSystem.entrust(file, toOwnerOf: directory)
            }
            return intake
        } catch {
            switch error {
            case .inUse: throw .served(directory: directory)
            case .noRoom(let path, _): throw .full(path: path)
            default: throw TransferError.store(error).naming(directory)
            }
        }
    }

    /// Before anything is written there: a trigger of somebody else's would have its say in it.
    private static func checkLayout(of path: String) throws(DatabaseFileError) {
        guard FileSystem.size(path) > 0 else { return }
        // A daemon may have it open; else nothing is to be left beside it.
        let isShared = FileSystem.exists(path + "-wal")
        try DatabaseFile(path: path, isShared: isShared).checkLayout()
    }

    private static func summary(of report: Importer.Report, isTrial: Bool) -> TransferSummary {
        var summary = summary(of: report.counts, report.outcome, isTrial: isTrial)
        summary.numbers.append(("fuller", report.fullerChannels))
        if let line = report.resumedBehind {
            summary.remarks.append(
                "Went on behind line \(line), where an earlier run had stopped; rows are those of"
                    + " all runs.")
        }
        if report.fullerChannels > 0 {
            summary.remarks.append(
                "\(report.fullerChannels) channels hold more than the file has of them.")
        }
        return summary
    }

    private static func summary(
        of counts: TransferCounts, _ outcome: Merge.Outcome, isTrial: Bool
    ) -> TransferSummary {
        // Those that are left out are told below.
        var taken = counts
        taken.files -= outcome.leftOut
        var summary = TransferSummary(
            numbers: counts.numbers,
            sentence: isTrial
                ? "Would import \(counts). Nothing was written, and the file alone was read: what"
                    + " the data says otherwise only the import finds."
                : "Imported \(taken): \(outcome.written) rows written, \(outcome.already) were"
                    + " there already.")
        guard !isTrial else { return summary }
        summary.numbers += [
            ("written", outcome.written), ("already", outcome.already), ("kept", outcome.kept),
            ("leftOut", outcome.leftOut),
        ]
        if outcome.leftOut > 0 {
            summary.remarks.append(
                "\(outcome.leftOut) files are left out, because their contents are not here: say"
                    + " with --files where they are, and import again.")
        }
        if outcome.kept > 0 {
            summary.remarks.append(
                "\(outcome.kept) rows are otherwise here and stay so; the first of them:")
            summary.remarks += outcome.examples
        }
        return summary
    }

    // MARK: Small steps

    private static func filing<Value>(
        _ body: () throws(DatabaseFileError) -> Value
    ) throws(TransferError) -> Value where Value: ~Copyable {
        do throws(DatabaseFileError) {
            return try body()
        } catch {
            throw .file(error)
        }
    }

    private static func storing<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(TransferError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension TransferError {
    /// Says where a disk is full.
    fileprivate func naming(_ directory: String) -> TransferError {
        self == .store(.full) ? .full(path: SQLStore.path(in: directory)) : self
    }
}

extension TransferCounts: CustomStringConvertible {
    var numbers: [(name: String, value: Int)] {
        [
            ("channels", channels), ("messages", messages), ("actions", actions),
            ("removed", removed), ("marks", marks), ("deletions", deletions),
            ("clearings", clearings), ("others", others),
        ]
    }

    var description: String {
        let more = removed + marks + deletions + clearings + others + devices
        return "\(channels) channels, \(messages) messages and \(actions) reactions"
            + (files > 0 ? ", \(files) files" : "") + (more > 0 ? ", and \(more) other rows" : "")
    }
}
