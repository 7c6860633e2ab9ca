// What the importers of other services' files have in common.

import EventModel
import JSON

/// A row for a channel, made of what another service's file says.
struct ForeignRow: Hashable {
    var channel: String
    var record: TransferRecord
}

/// What a file says and what has no counterpart here, counted by what it is.
struct Unmapped: Hashable {
    private(set) var counts: [String: Int] = [:]

    mutating func note(_ what: String, _ count: Int = 1) { counts[what, default: 0] += count }

    /// The same in every run.
    var sorted: [(what: String, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (what: $0.key, count: $0.value) }
    }
}

/// One way to read another service's files, value by value.
protocol ForeignReader {
    /// What its files have, for who gave another one.
    static var words: String { get }

    var unmapped: Unmapped { get }

    /// Why what was read last is nothing to import; `nil`: it is.
    var refusal: String? { get }

    /// What has to be given or asked for where nothing came of a file; `nil`: it had nothing.
    var lack: String? { get }

    /// Whether rows are in an array or object at a path.
    func enters(_ path: [JSONSplitter.Step]) -> Bool

    /// Whether what is at a path shows that a file is another service's.
    func belies(_ path: [JSONSplitter.Step]) -> Bool

    /// Makes rows of a value that was not gone into.
    mutating func rows(of value: JSONValue, at path: [JSONSplitter.Step]) -> [ForeignRow]
}

extension Unmapped {
    /// - Returns: Whether a channel can be called so; it is noted when not.
    mutating func takes(channel name: String) -> Bool {
        let isTaken =
            Channel.fault(inName: name, ofOne: true) != nil || Directory(channelName: name) != nil
        guard isTaken else { return true }
        note("messages of channels whose names nothing here may have")
        return false
    }

    /// - Returns: Whether an action can say so; it is noted when not.
    mutating func takes(type: String, value: String, by user: String) -> Bool {
        guard !type.isEmpty, !value.isEmpty, !user.isEmpty,
            type.utf8.count <= Limits.actionTypeBytesMax,
            value.utf8.count <= Limits.actionValueBytesMax,
            user.utf8.count <= Limits.identifierBytesMax
        else {
            note("actions whose type, value or user is empty or too long")
            return false
        }
        return true
    }

    /// The type of a message, if it can be one.
    mutating func messageType(_ type: String?) -> String? {
        guard let type, !type.isEmpty else { return nil }
        guard type.utf8.count <= Limits.messageTypeBytesMax else {
            note("types of messages that are too long: those have none")
            return nil
        }
        return type
    }
}

/// Reads a file of another service, and puts what it says beside what is there.
struct ForeignImport: ~Copyable {
    /// What was read, and what became of it.
    struct Report: Hashable {
        var counts = TransferCounts()
        var outcome = Merge.Outcome()
        var unmapped = Unmapped()
    }

    /// A value that the file was not gone into for.
    private struct Piece {
        let path: [JSONSplitter.Step]
        let text: [UInt8]
        /// Of the JSON text that it is in, counted from 1.
        let number: Int
    }

    private var input: TransferInput
    private let keyset: String
    /// Timetokens after this are refused.
    private let latest: Timetoken
    /// Opens what is written to, once there is a row for it; `nil`: nothing is written.
    private let open: (() throws(TransferError) -> Merge)?
    private var merge: Merge?
    private let tell: (Int, Int?) -> Void
    private var channel: ExactText?
    private var channels: Set<ExactText> = []
    private var report = Report()
    /// Whether anything in the file has a name that such files have.
    private var isKnown = false
    /// Whether anything has a name that such files have in another place.
    private var isBelied = false
    /// JSON texts of the file, so far.
    private var texts = 0

    init(
        _ input: consuming TransferInput, keyset: String, latest: Timetoken,
        into open: (() throws(TransferError) -> Merge)?, tell: @escaping (Int, Int?) -> Void
    ) {
        self.input = input
        self.keyset = keyset
        self.latest = latest
        self.open = open
        self.tell = tell
    }

    consuming func run<Reader: ForeignReader>(
        _ reader: consuming Reader
    ) throws(TransferError) -> Report {
        do throws(TransferError) {
            try readAll(&reader)
            let hasRows = report.counts.rows > 0
            guard hasRows || isKnown && !isBelied || !reader.unmapped.counts.isEmpty else {
                throw .noMapping(path: input.name, reason: "nothing in it is \(Reader.words)")
            }
            if !hasRows, let lack = reader.lack {
                throw .refused(place: input.name, reason: lack)
            }
            try merge?.commit(note: nil)
        } catch {
            merge?.end()
            throw error
        }
        merge?.end()
        report.unmapped = reader.unmapped
        report.counts.channels = channels.count
        report.outcome = merge?.outcome ?? Merge.Outcome()
        return report
    }

    private mutating func readAll(_ reader: inout some ForeignReader) throws(TransferError) {
        var splitter = JSONSplitter(bytesMax: Limits.transferLineBytesMax)
        var chunk: [UInt8] = []
        repeat {
            chunk = try input.chunk()
            for (row, size) in try rows(of: chunk, by: &splitter, &reader) {
                try put(row, size: size)
            }
        } while !chunk.isEmpty
    }

    /// The rows that end in a chunk, each with the bytes of the value that it is of.
    private mutating func rows(
        of chunk: [UInt8], by splitter: inout JSONSplitter, _ reader: inout some ForeignReader
    ) throws(TransferError) -> [(row: ForeignRow, size: Int)] {
        var pieces: [Piece] = []
        var rows: [(row: ForeignRow, size: Int)] = []
        var (number, hasEntered, hasStrange) = (texts, isKnown, isBelied)
        do throws(JSONError) {
            let take = { (path: [JSONSplitter.Step], text: [UInt8]) in
                // A text of its own.
                if path.isEmpty { number += 1 }
                pieces.append(Piece(path: path, text: text, number: number))
                return true
            }
            if chunk.isEmpty {
                try splitter.end(piece: take)
            } else {
                try splitter.take(
                    chunk,
                    enters: { path in
                        if path.isEmpty { number += 1 }
                        if reader.belies(path) { hasStrange = true }
                        let isEntered = reader.enters(path)
                        // The outermost array or object may be anybody's.
                        if isEntered, path.contains(where: { $0 != .element }) { hasEntered = true }
                        return isEntered
                    }, piece: take)
            }
        } catch {
            throw .noMapping(path: input.name, reason: error.phrase)
        }
        (texts, isKnown, isBelied) = (number, hasEntered, hasStrange)
        for piece in pieces {
            if reader.belies(piece.path) { isBelied = true }
            rows += try self.rows(of: piece, &reader).map { (row: $0, size: piece.text.count) }
        }
        return rows
    }

    private func rows(
        of piece: Piece, _ reader: inout some ForeignReader
    ) throws(TransferError) -> [ForeignRow] {
        let place = "\(input.name), JSON text \(piece.number)"
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: piece.text, depthMax: 2 * Limits.jsonDepthMax)
        } catch {
            throw .noMapping(path: place, reason: error.phrase)
        }
        let rows = reader.rows(of: value, at: piece.path)
        if let refusal = reader.refusal { throw .refused(place: place, reason: refusal) }
        return rows
    }

    private mutating func put(_ row: ForeignRow, size: Int) throws(TransferError) {
        if merge == nil, let open { merge = try open() }
        // The store would say so otherwise.
        if merge == nil, let moment = row.record.moment, moment > latest { throw .tooLate(moment) }
        let name = ExactText(row.channel)
        if name != channel {
            channel = name
            channels.insert(name)
            try merge?.enter(Channel(row.channel, keyset: keyset))
        }
        report.counts.count(row.record)
        if let merge, try merge.put(row.record, size: size) { try merge.commit(note: nil) }
        guard report.counts.rows % Limits.transferRowsPerCommitMax == 0 else { return }
        let size = input.size
        tell(report.counts.rows, size.map { $0 > 0 ? Int(input.offset * 100 / $0) : 100 })
    }
}

extension JSONError {
    /// What goes before a full stop of somebody else's.
    fileprivate var phrase: String {
        description.hasSuffix(".") ? String(description.dropLast()) : description
    }
}
