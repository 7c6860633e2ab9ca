// Reads an export line by line, and holds what it says against what it came to.

import EventModel

/// One import of an export; memory does not grow with the file.
final class Importer {
    /// What was read, and what became of it.
    struct Report: Hashable {
        var counts = TransferCounts()
        var outcome = Merge.Outcome()
        /// Where an earlier run had stopped; `nil`: this one began at the beginning.
        var resumedBehind: Int?
        /// Channels of which the store has more than the file.
        var fullerChannels = 0
    }

    private var lines: TransferLines
    /// `nil`: nothing is written.
    private let merge: Merge?
    private var progress: ImportProgress
    private let head: ExportHead
    private let latest: Timetoken
    private var fullerChannels = 0
    /// Of the store's digests of the present channel.
    private var ownKey: DigestKey?
    private var resumedBehind: Int?
    /// Whether rows of the present channel are durable, though its checksum is yet to come.
    private var isPartKept: Bool
    /// Whether an earlier run read its beginning.
    private var isPartResumed: Bool
    /// Whether a later run would go on from some place.
    private var isPlaceKept: Bool
    private let tell: (Int, Int?) -> Void

    /// Reads the first line.
    static func head(
        of lines: inout TransferLines
    ) throws(TransferError) -> (head: ExportHead, text: String) {
        guard let line = try lines.next() else {
            guard !lines.isEmpty else { throw .empty(path: lines.name) }
            throw .line(path: lines.name, number: 1, reason: "it has no end")
        }
        do throws(LineFault) {
            return (try ExportHead(line), String(decoding: line, as: UTF8.self))
        } catch {
            throw .line(path: lines.name, number: 1, reason: error.reason)
        }
    }

    /// - Parameters:
    ///   - lines: The first of them was read.
    ///   - progress: Where to begin: at the second line, or where an earlier run stopped.
    ///   - latest: Timetokens after this are refused.
    ///   - tell: Told now and then how many rows were read, and how many percent of the file.
    init(
        _ lines: consuming TransferLines, head: ExportHead, from progress: ImportProgress,
        into merge: Merge?, latest: Timetoken, tell: @escaping (Int, Int?) -> Void
    ) throws(TransferError) {
        // The store is to go on after it.
        guard head.last <= latest else { throw .tooLate(head.last) }
        if progress.line > 1 {
            try lines.skip(to: progress.offset, behind: progress.line)
            resumedBehind = progress.line
        }
        isPlaceKept = progress.line > 1
        isPartResumed = progress.part != nil
        isPartKept = progress.part != nil
        self.lines = lines
        self.head = head
        self.latest = latest
        self.progress = progress
        self.merge = merge
        self.tell = tell
    }

    func run() throws(TransferError) -> Report {
        do throws(TransferError) {
            return try readAll()
        } catch {
            merge?.end()
            // What came before the damage may be damaged, too, unseen by a run that goes on.
            if isPlaceKept, error.isDamage { merge?.forgetProgress() }
            throw error
        }
    }

    private func readAll() throws(TransferError) -> Report {
        if let part = progress.part { try enter(part) }
        while let line = try lines.next() {
            let record: TransferRecord
            do throws(LineFault) {
                record = try TransferRecord(line)
            } catch {
                throw .line(path: lines.name, number: lines.number, reason: error.reason)
            }
            if case .end(let counts) = record { return try end(counts) }
            if let fault = record.fault(in: head.selection) {
                throw .line(path: lines.name, number: lines.number, reason: fault)
            }
            try take(record, line)
        }
        try commit()
        throw .notWhole(path: lines.name, line: lines.number, isKept: isKept)
    }

    private func take(_ record: TransferRecord, _ line: [UInt8]) throws(TransferError) {
        // The store would say so otherwise.
        if merge == nil, let moment = record.moment, moment > latest { throw .tooLate(moment) }
        progress.counts.count(record)
        if case .channel(let head) = record { return try begin(head) }
        if case .endOfChannel(let end) = record { return try self.end(end) }
        count(record, line)
        guard try merge?.put(renamed(record), size: line.count) ?? isTimeToTell else { return }
        try commit()
    }

    private var isTimeToTell: Bool {
        progress.counts.rows % Limits.transferRowsPerCommitMax == 0
    }

    /// Makes durable what came, and where to go on.
    private func commit() throws(TransferError) {
        progress.offset = lines.offset
        progress.line = lines.number
        if let merge {
            progress.outcome = merge.outcome
            try merge.commit { [self] ceiling in
                progress.ceiling = ceiling
                return progress.text
            }
            (isPlaceKept, isPartKept) = (true, progress.part != nil)
        }
        tell(progress.counts.rows, lines.size.map { $0 > 0 ? Int(lines.offset * 100 / $0) : 100 })
    }

    // MARK: Channels

    private func enter(_ part: ChannelPart) throws(TransferError) {
        guard let merge else { return }
        let channel = channel(of: part)
        ownKey = merge.key(of: channel)
        try merge.enter(channel)
    }

    private func begin(_ head: ChannelHead) throws(TransferError) {
        if let part = progress.part { throw altered(part.head.channel.name) }
        let part = ChannelPart(head: head, keptBefore: merge?.outcome.kept ?? 0)
        progress.part = part
        (isPartKept, isPartResumed) = (false, false)
        try enter(part)
    }

    /// Notes what the row adds to its channel.
    private func count(_ record: TransferRecord, _ line: [UInt8]) {
        guard var part = progress.part else { return }
        // So that nothing is copied.
        progress.part = nil
        part.counts.count(record)
        part.sum.add(line)
        let row: CoveredRow? =
            switch record {
            case .message(let record): .message(record.row)
            case .action(let record) where record.removed == nil: .action(record.action)
            default: nil
            }
        if let row {
            let hash = row.hash(part.head.key)
            part.digest.insert(hash)
            if let ownKey {
                part.own.insert(ownKey == part.head.key ? hash : row.hash(ownKey))
            }
        }
        progress.part = part
    }

    private func end(_ end: ChannelEnd) throws(TransferError) {
        guard let part = progress.part else { throw altered(nil) }
        guard part.counts == end.counts, part.digest == end.digest, part.sum.value == end.sum else {
            throw altered(part.head.channel.name)
        }
        progress.part = nil
        guard let merge else { return }
        let channel = channel(of: part)
        let digest = try merge.state(of: channel).digest
        guard digest != part.own else { return }
        fullerChannels += 1
        // With as many rows they would be the same.
        guard merge.outcome.kept > part.keptBefore || digest.count > part.own.count else {
            throw .wrongDigest(channel: channel.name)
        }
    }

    private func end(_ counts: TransferCounts) throws(TransferError) -> Report {
        guard progress.part == nil, counts == progress.counts else { throw altered(nil) }
        // Another export may have been put behind it: nobody is to take that for imported.
        if let number = try lines.numberOfMore() {
            throw .behindEnd(path: lines.name, number: number)
        }
        var report = Report(
            counts: counts, resumedBehind: resumedBehind, fullerChannels: fullerChannels)
        if let merge {
            try merge.commit(through: head.last, note: nil)
            merge.end()
            report.outcome = merge.outcome
        }
        return report
    }

    /// - Parameter channel: `nil`: all of them.
    private func altered(_ channel: String?) -> TransferError {
        .altered(
            path: lines.name, line: lines.number, channel: channel,
            resumedBehind: isPartResumed ? resumedBehind : nil,
            isKept: isKept && (isPartKept || channel == nil))
    }

    /// Whether some of the file is in the store.
    private var isKept: Bool { merge.map { $0.hasKept || resumedBehind != nil } ?? false }

    // MARK: Another tenant

    private func channel(of part: ChannelPart) -> Channel {
        let channel = part.head.channel
        return progress.into.map { Channel(channel.name, keyset: $0) } ?? channel
    }

    private func renamed(_ record: TransferRecord) -> TransferRecord {
        guard let into = progress.into else { return record }
        switch record {
        case .grouping(let group, let channel):
            return .grouping(ChannelGroup(group.name, keyset: into), channel: channel)
        case .revoked(let record):
            let token = RevokedToken(
                keyset: ExactText(into), id: record.token.id, expiry: record.token.expiry)
            return .revoked(KeptRevocation(token: token, forgettable: record.forgettable))
        case .grant(let record):
            let old = record.grant.subject
            let subject = KeyGrantSubject(
                keyset: ExactText(into), level: old.level, name: old.name, authKey: old.authKey)
            let grant = KeyGrant(
                subject: subject, bits: record.grant.bits, expiry: record.grant.expiry)
            return .grant(KeptGrant(grant: grant, forgettable: record.forgettable))
        case .device(let device, let channel, let user):
            let device = PushDevice(
                token: device.token, gateway: device.gateway, environment: device.environment,
                topic: device.topic, keyset: into)
            return .device(device, channel: channel, user: user)
        case .file(var record):
            record.file.channel = Channel(record.file.channel.name, keyset: into)
            return .file(record)
        default: return record
        }
    }
}

extension TransferRecord {
    /// Why nobody could name what it is about, or why it is not of what was asked for.
    fileprivate func fault(in selection: StoreSelection) -> String? {
        var names: [String] = []
        let keyset: String
        switch self {
        case .channel(let head): (names, keyset) = ([head.channel.name], head.channel.keyset)
        case .grouping(let group, let channel): (names, keyset) = ([channel], group.keyset)
        case .device(let device, let channel, _): (names, keyset) = ([channel], device.keyset)
        case .file(let record):
            (names, keyset) = ([record.file.channel.name], record.file.channel.keyset)
        case .revoked(let record): keyset = record.token.keyset.string
        case .grant(let record): keyset = record.grant.subject.keyset.string
        case .message, .action, .mark, .deletion, .clearing, .endOfChannel, .end: return nil
        }
        if names.contains(where: { !Channel.mayBeStored($0) }) {
            return "no channel can be called so"
        }
        // They are written alike.
        guard Channel.fault(inName: keyset, ofOne: true) == nil else {
            return "no keyset can be called so"
        }
        guard let asked = selection.keyset, ExactText(asked) != ExactText(keyset) else {
            return nil
        }
        return "it is of another keyset than the export"
    }
}
