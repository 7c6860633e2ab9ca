// Writes what a database file has of some channels and tenants, line by line.

import EventModel
import JSON

/// One export; memory does not grow with what is written.
final class Exporter {
    /// What was written.
    struct Report: Hashable {
        var counts = TransferCounts()
        var bytes: Int64 = 0
        /// Channels whose rows come to something else than the ledger said.
        var wrongDigests: [Channel] = []
        /// Files that are left out because nobody has their contents.
        var filesLeftOut = 0
    }

    private let dump: StoreDump
    private let selection: StoreSelection
    private let includesRemoved: Bool
    private let contents: FileContents?
    private var output: TransferOutput
    private var json = JSONWriter(reserving: 4096)
    private var sum = LineSum()
    private var report = Report()
    private let tell: (Int) -> Void

    /// - Parameters:
    ///   - includesRemoved: Whether what is gone and still remembered is written, too.
    ///   - contents: What copies contents of files; `nil`: they are not copied.
    ///   - tell: Told now and then how many rows were written.
    init(
        _ dump: StoreDump, _ selection: StoreSelection, includesRemoved: Bool,
        contents: FileContents? = nil, to output: consuming TransferOutput,
        tell: @escaping (Int) -> Void
    ) {
        self.dump = dump
        self.selection = selection
        self.includesRemoved = includesRemoved
        self.contents = contents
        self.output = output
        self.tell = tell
    }

    func run() throws(TransferError) -> Report {
        try checkNames()
        json.line(
            ExportHead(
                epoch: dump.epoch, last: dump.last,
                secret: selection.keyset == nil && selection.isOfTenants ? dump.secret : nil,
                selection: selection, includesRemoved: includesRemoved))
        _ = output.write(json.bytes)
        try forEachChannel { channel throws(TransferError) in try write(channel) }
        if selection.isOfTenants { try writeTenants() }
        try writeFiles()
        _ = write(.end(report.counts))
        _ = output.flush()
        if let failure = output.failure { throw failure }
        report.bytes = output.bytes
        return report
    }

    // MARK: Channels

    private func forEachChannel(
        _ body: (StoreDump.FoundChannel) throws(TransferError) -> Void
    ) throws(TransferError) {
        var place: Channel?
        repeat {
            let found: (page: [StoreDump.FoundChannel], next: Channel?)
            do throws(DatabaseFileError) {
                found = try dump.channels(of: selection, behind: place)
            } catch {
                throw .file(error)
            }
            for channel in found.page { try body(channel) }
            place = found.next
        } while place != nil
    }

    /// Before anything is written.
    private func checkNames() throws(TransferError) {
        guard !selection.channels.isEmpty else {
            if let keyset = selection.keyset, try isAbsent(keyset) { throw .noKeyset(keyset) }
            return
        }
        var missing = Set(selection.channels.map(ExactText.init))
        try forEachChannel { missing.remove(ExactText($0.channel.name)) }
        for name in missing {
            let channel = Channel(name.string, keyset: selection.keyset ?? Channel.defaultKeyset)
            var hasFiles = false
            try reading { () throws(DatabaseFileError) in
                hasFiles = try dump.hasFiles(in: channel)
            }
            guard hasFiles else { throw .noChannel(name.string, keyset: selection.keyset) }
        }
    }

    /// Whether there is nothing of a tenant, neither in channels nor beside them.
    private func isAbsent(_ keyset: String) throws(TransferError) -> Bool {
        var isAbsent = true
        try reading { () throws(DatabaseFileError) in
            let found = try dump.channels(of: selection, behind: nil)
            isAbsent = found.page.isEmpty && found.next == nil
            func note() -> Bool {
                isAbsent = false
                return false
            }
            if isAbsent { try dump.forEachGrouping(of: keyset) { _, _ in note() } }
            if isAbsent { try dump.forEachRevoked(of: keyset) { _ in note() } }
            if isAbsent { try dump.forEachGrant(of: keyset) { _ in note() } }
            if isAbsent { try dump.forEachDevice(of: keyset) { _, _, _ in note() } }
            if isAbsent { isAbsent = try dump.files(of: selection, behind: nil).page.isEmpty }
        }
        return isAbsent
    }

    private func write(_ found: StoreDump.FoundChannel) throws(TransferError) {
        let key = dump.secret.key(of: found.channel)
        let before = report.counts
        var digest = Digest.empty
        _ = write(.channel(ChannelHead(channel: found.channel, key: key)))
        sum = LineSum()
        try reading { () throws(DatabaseFileError) in
            try dump.forEachMessage(of: found.id) { record in
                digest.insert(record.row, key: key)
                return write(.message(record.moved(by: dump.ageOffset)))
            }
            try dump.forEachAction(of: found.id, includesRemoved: includesRemoved) { record in
                if record.removed == nil { digest.insert(record.action, key: key) }
                return write(.action(record))
            }
            try dump.forEachMark(of: found.id) { write(.mark($0)) }
            guard includesRemoved else { return }
            try dump.forEachDeletion(of: found.id) { write(.deletion($0)) }
            try dump.forEachClearing(of: found.id) { write(.clearing($0)) }
        }
        if digest != found.digest { report.wrongDigests.append(found.channel) }
        let counts = report.counts.since(before)
        _ = write(.endOfChannel(ChannelEnd(counts: counts, digest: digest, sum: sum.value)))
    }

    private func writeTenants() throws(TransferError) {
        let keyset = selection.keyset
        try reading { () throws(DatabaseFileError) in
            try dump.forEachGrouping(of: keyset) { write(.grouping($0, channel: $1)) }
            try dump.forEachRevoked(of: keyset) { record in
                write(.revoked(record.moved(by: dump.ageOffset)))
            }
            try dump.forEachGrant(of: keyset) { write(.grant($0.moved(by: dump.ageOffset))) }
            try dump.forEachDevice(of: keyset) { write(.device($0, channel: $1, user: $2)) }
        }
    }

    /// One whose contents are gone was removed since the state that is written.
    private func writeFiles() throws(TransferError) {
        var place: StoredFile?
        repeat {
            var page: [StoredFile] = []
            try reading { () throws(DatabaseFileError) in
                (page, place) = try dump.files(of: selection, behind: place)
            }
            for file in page {
                var sum: UInt64?
                do throws(FileError) {
                    sum = try contents?.bring(file, sum: nil)
                } catch {
                    throw .contents(error)
                }
                if contents != nil, sum == nil {
                    report.filesLeftOut += 1
                } else {
                    _ = write(.file(KeptFile(file: file, sum: sum)))
                }
            }
            if let failure = output.failure { throw failure }
        } while place != nil
    }

    /// Runs what reads, and tells which side failed.
    private func reading(
        _ body: () throws(DatabaseFileError) -> Void
    ) throws(TransferError) {
        do throws(DatabaseFileError) {
            try body()
        } catch {
            throw .file(error)
        }
        if let failure = output.failure { throw failure }
    }

    /// - Returns: Whether the line found a place.
    private func write(_ record: TransferRecord) -> Bool {
        json.removeAll()
        json.line(record)
        sum.add(json.bytes)
        report.counts.count(record)
        if report.counts.rows % Limits.transferRowsPerCommitMax == 0 { tell(report.counts.rows) }
        return output.write(json.bytes)
    }
}

extension TransferCounts {
    /// What was counted since, of one channel.
    fileprivate func since(_ before: TransferCounts) -> TransferCounts {
        TransferCounts(
            messages: messages - before.messages, actions: actions - before.actions,
            removed: removed - before.removed, marks: marks - before.marks,
            deletions: deletions - before.deletions, clearings: clearings - before.clearings)
    }
}
