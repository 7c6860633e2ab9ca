// A reader with a planted bug: it leaves a removal out of what a device catches up with.

import EventModel

@testable import SyncDaemon

/// Passes everything on, but for some tombstones.
final class ForgetfulReader: StoreReader {
    private let reader: any StoreReader

    init(_ reader: any StoreReader) {
        self.reader = reader
    }

    func changes(
        in channel: Channel, from start: ChangeStart
    ) throws(StoreError) -> ChangePage {
        var page = try reader.changes(in: channel, from: start)
        page.envelopes.removeAll { envelope in
            guard case .actionRemoved = envelope.event else { return false }
            return envelope.timetoken.rawValue % 4 == 0
        }
        return page
    }

    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken) {
        try reader.digest(of: channel)
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reader.withSnapshot(of: channel, body)
    }

    func history(_ query: HistoryQuery, in channel: Channel) throws(StoreError) -> HistoryPage {
        try reader.history(query, in: channel)
    }

    func actions(_ query: ActionsQuery, in channel: Channel) throws(StoreError) -> ActionsPage {
        try reader.actions(query, in: channel)
    }

    func messageCounts(
        _ positions: [(channel: Channel, after: Timetoken)]
    ) throws(StoreError) -> [Int] {
        try reader.messageCounts(positions)
    }

    func channels(
        inKeyset keyset: String, withPrefix prefix: String, limit: Int
    ) throws(StoreError) -> [String] {
        try reader.channels(inKeyset: keyset, withPrefix: prefix, limit: limit)
    }

    func backlog(
        _ interests: [Interest], after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> Backlog? {
        try reader.backlog(interests, after: cursor, limit: limit)
    }
}
