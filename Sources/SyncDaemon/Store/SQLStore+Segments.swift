// What the store keeps of a channel's segments.

import EventModel
import SQL

extension SQLStore {
    func segment(
        of message: Timetoken, in channel: Channel
    ) throws(StoreError) -> (segment: Segment, through: Timetoken) {
        let place: [SQLValue] = try [.integer(id(of: channel)), .timetoken(message)]
        let segment = try statements.digests.segments.find.first(place) { Segment($0) }
        let through = try statements.digests.segments.findNext.first(place) { $0.timetoken(0) }
        return (segment ?? Segment(after: .zero), through ?? .end)
    }

    func setSegment(_ segment: Segment, of channel: Channel) throws(StoreError) {
        let words = segment.digest.words
        try statements.digests.segments.put.run(
            .integer(id(of: channel)), .timetoken(segment.after),
            .integer(Int64(segment.messageCount)), .integer(segment.digest.count),
            .word(words.0), .word(words.1), .word(segment.timetokens))
    }

    /// A file has no row of the whole then; with most channels' writes that is one row less.
    func setWhole(_ segment: Segment, of channel: Channel) throws(StoreError) {
        try setSegment(segment, of: channel)
        let id = try id(of: channel)
        guard connection.dialect == .sqlite else {
            // There a row costs little, and a statement more.
            return try setDigest(segment.digest, of: channel)
        }
        guard !channelsWithoutTotal.contains(id) else { return }
        try statements.digests.segments.removeTotal.run(.integer(id))
        if channelsWithoutTotal.count >= Limits.internedNamesMax { channelsWithoutTotal = [] }
        channelsWithoutTotal.insert(id)
    }

    func removeSegments(
        from start: Timetoken, before end: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try statements.digests.segments.remove.run(
            .integer(id(of: channel)), .timetoken(start), .timetoken(end))
    }
}

extension Segment {
    /// Of a row with ``columns``.
    init(_ row: borrowing DatabaseRow) {
        self.init(
            after: row.timetoken(0), messageCount: Int(row.rowCount(1)),
            digest: Digest(row, from: 2), timetokens: UInt64(bitPattern: row.integer(5)))
    }

    /// Where the state of the whole channel is kept, as if it were a segment behind all others.
    ///
    /// It is written with each of them, and most writes are to the newest: so it is on its page.
    /// A channel of one segment may have none: that says the same.
    static let wholeAfter = Timetoken.end

    static let columns = "after, messages, count, lane0, lane1, timetokens"
    /// The state of a whole channel, and in which row it is, after ``joinWhole``.
    static let wholeColumns =
        "coalesce(count, 0), coalesce(lane0, 0), coalesce(lane1, 0), coalesce(after, 0)"

    /// Why a channel has no state: of several segments none says what all of them come to.
    static let noTotal = "the state of a whole channel is missing"

    /// Whether the row that a channel has last says what all of it comes to.
    static func isWhole(after: Timetoken) -> Bool { after == .zero || after == wholeAfter }

    static let joinWhole = """
        LEFT JOIN segment ON segment.channel = channel.id AND segment.after =
        (SELECT max(after) FROM segment AS other WHERE other.channel = channel.id)
        """
    /// Those of a channel that start before a position.
    static let newestFirst = """
        SELECT \(columns) FROM segment WHERE channel = ? AND after < ? ORDER BY after DESC
        """
}

/// What the writer runs about segments.
final class SQLSegmentStatements {
    let find: StoreStatement
    let findNext: StoreStatement
    let put: StoreStatement
    let remove: StoreStatement
    let removeTotal: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        find = try connection.prepare("\(Segment.newestFirst) LIMIT 1")
        findNext = try connection.prepare(
            "SELECT after FROM segment WHERE channel = ? AND after >= ? ORDER BY after LIMIT 1")
        put = try connection.prepare(RowStatement.segment)
        remove = try connection.prepare(
            "DELETE FROM segment WHERE channel = ? AND after >= ? AND after < ?")
        removeTotal = try connection.prepare(
            "DELETE FROM segment WHERE channel = ? AND after = \(Segment.wholeAfter)")
    }
}
