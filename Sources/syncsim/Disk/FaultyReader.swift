// A reader whose pages are as short as a world wants them, and which may have a planted bug in what
// a device catches up with.

import EventModel

@testable import SyncDaemon

/// Ends pages early, as those of a long channel end; with a bug leaves some tombstones out, or all
/// clearings, or all deletions of messages.
final class FaultyReader: StoreReader {
    private let source: () -> any StoreReader
    private let pageEvents: Int
    private let bug: PlantedBug?

    /// - Parameter source: What is read, asked for with each question.
    init(pageEvents: Int, bug: PlantedBug?, source: @escaping () -> any StoreReader) {
        self.source = source
        self.pageEvents = pageEvents
        self.bug = bug
    }

    var reader: any StoreReader { source() }

    func onProgress(_ body: @escaping () -> Void) { reader.onProgress(body) }

    func changes(
        in channel: Channel, from start: ChangeStart
    ) throws(StoreError) -> ChangePage {
        var page = try reader.changes(in: channel, from: start)
        page.end(after: pageEvents)
        page.envelopes.removeAll { envelope in
            switch envelope.event {
            case .actionRemoved:
                bug == .droppedTombstone && envelope.timetoken.rawValue % 4 == 0
            case .actionsCleared: bug == .clearingForgetsLate
            case .messagesDeleted: bug == .forgottenDeletion
            default: false
            }
        }
        return page
    }

    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken) {
        try reader.digest(of: channel)
    }

    func channelNames(
        from name: String, in keyset: String, limit: Int
    ) throws(StoreError) -> [String] {
        try reader.channelNames(from: name, in: keyset, limit: limit)
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reader.withSnapshot(of: channel, body)
    }

    func history(
        _ query: HistoryQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> HistoryPage? {
        try reader.history(query, in: channel, isDear: isDear)
    }

    func datedActions(
        _ query: ActionsQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> (page: ActionsPage, asOf: Timetoken)? {
        try reader.datedActions(query, in: channel, isDear: isDear)
    }

    func messageCounts(
        _ positions: [(channel: Channel, after: Timetoken)]
    ) throws(StoreError) -> [Int] {
        try reader.messageCounts(positions)
    }

    func unread(of user: String, in channel: Channel) throws(StoreError) -> UnreadMessages {
        try reader.unread(of: user, in: channel)
    }

    func files(
        in channel: Channel, after position: Timetoken, limit: Int
    ) throws(StoreError) -> FilePage {
        try reader.files(in: channel, after: position, limit: limit)
    }

    func file(_ id: FileID) throws(StoreError) -> StoredFile? { try reader.file(id) }

    func channels(
        of device: PushDevice, registeredBy user: String?
    ) throws(StoreError) -> [String] {
        try reader.channels(of: device, registeredBy: user)
    }

    func entry(_ id: ExactText, in directory: Channel) throws(StoreError) -> DirectoryEntry? {
        try reader.entry(id, in: directory)
    }

    func readOn(
        _ scan: inout EntryScan, in directory: Channel, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try reader.readOn(&scan, in: directory, while: mayGoOn)
    }

    func readOn(
        _ reading: inout BacklogReading, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try reader.readOn(&reading, while: mayGoOn)
    }

    func readOn(
        _ search: inout ChannelSearch, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try reader.readOn(&search, while: mayGoOn)
    }
}

extension ChangePage {
    /// Leaves to the next page what is more than a number of events.
    fileprivate mutating func end(after count: Int) {
        guard envelopes.count > count else { return }
        envelopes.removeLast(envelopes.count - count)
        through = envelopes.last?.timetoken ?? through
        (isComplete, digest) = (false, nil)
    }
}
