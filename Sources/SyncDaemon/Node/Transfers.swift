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
                selection, of: database, includesRemoved: includesRemoved, files: files, to: nil,
                tell: tell)
        }
        let part = try filing { () throws(DatabaseFileError) in try PartialFile(of: target) }
        let summary: TransferSummary
        do throws(TransferError) {
            guard !FileSystem.exists(target) else { throw .file(.exists(path: target)) }
            summary = try write(
                selection, of: database, includesRemoved: includesRemoved, files: files,
                to: part.path, tell: tell)
            try filing { [path = part.path] () throws(DatabaseFileError) in
                try FileSystem.sync(path)
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
        files: String?, to path: String?, tell: @escaping Listener
    ) throws(TransferError) -> TransferSummary {
        let contents = try files.map { target throws(TransferError) in
            try Self.contents(from: Self.files(beside: database), to: target)
        }
        let dump = try filing { () throws(DatabaseFileError) in try StoreDump(path: database) }
        let isOfAll = selection == StoreSelection()
        let size = try filing { () throws(DatabaseFileError) in try dump.size() }
        let report = try Exporter(
            dump, selection, includesRemoved: includesRemoved, contents: contents,
            to: TransferOutput(path)
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
        var progress = ImportProgress(
            head: text, into: into, offset: lines.offset, line: lines.number)
        var merge: Merge?
        if let directory {
            let intake = try intake(of: directory, secret: head.secret)
            let noted = try storing { () throws(StoreError) in try intake.noted() }
            if let noted = noted.flatMap(ImportProgress.init),
                noted.isPlace(of: progress, in: intake.store)
            {
                progress = noted
            }
            merge = try Merge(
                intake, keeps: keeps, outcome: progress.outcome,
                contents: try contents(from: files, into: directory), now: Clock.wallTicks())
        }
        let report = try Importer(lines, head: head, from: progress, into: merge, tell: tell).run()
        return summary(of: report, isTrial: directory == nil)
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
        var merge: Merge?
        if let directory {
            merge = try Merge(
                try intake(of: directory, secret: nil), keeps: keeps, now: Clock.wallTicks())
        }
        let report = try ForeignImport(input, keyset: keyset, into: merge, tell: tell).run(reader)
        var summary = summary(of: report.counts, report.outcome, isTrial: directory == nil)
        summary.remarks += report.unmapped.sorted.map { "not taken over: \($0.what): \($0.count)" }
        summary.numbers.append(
            ("unmapped", report.unmapped.sorted.reduce(0) { $0 + $1.count }))
        return summary
    }

    /// Opens a data directory as a daemon does, or makes it.
    private static func intake(
        of directory: String, secret: DigestSecret?
    ) throws(TransferError) -> StoreIntake {
        do throws(StoreError) {
            let store = try SQLStore(directory: directory, secret: secret)
            try store.limitCache(to: Limits.transferCacheBytesMax)
            let intake = try StoreIntake(store)
            let path = SQLStore.path(in: directory)
            // Whoever runs this: the files are the daemon's.
            for file in ["\(directory)/lock", path, path + "-wal", path + "-shm"]
            where FileSystem.exists(file) {
                try? FileSystem.entrust(file, toOwnerOf: directory)
            }
            return intake
        } catch {
            if case .inUse = error { throw .served(directory: directory) }
            throw .store(error)
        }
    }

    private static func summary(of report: Importer.Report, isTrial: Bool) -> TransferSummary {
        var summary = summary(of: report.counts, report.outcome, isTrial: isTrial)
        summary.numbers.append(("fuller", report.fullerChannels))
        if let line = report.resumedBehind {
            summary.remarks.append("Went on behind line \(line), where an earlier run had stopped.")
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
        var summary = TransferSummary(
            numbers: counts.numbers,
            sentence: isTrial
                ? "Would import \(counts). Nothing was written."
                : "Imported \(counts): \(outcome.written) rows written, \(outcome.already) were"
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
