// What a poll missed: stored and unstored events of several channels, in one order.

import EventModel

/// A poll's backlog while its stored part is being read.
struct PolledBacklog: Sendable {
    var stored: BacklogReading
    private let unstored: [Envelope]
    private let visible: Timetoken

    /// - Parameter lists: Channels, all of one keyset.
    init(
        of lists: [[Channel]], after cursor: Timetoken, bringsDeletions: Bool, _ order: EventOrder
    ) {
        // Before the read: then the read sees everything up to `visible`, and nothing that is not
        // stored can come up to there either.
        let (remembered, visible) = order.unstored(inKeyset: lists.first?.first?.keyset ?? "")
        // Mostly there is nothing of that kind, and no need to look at ten thousand names.
        lazy var wanted = Set(lists.joined())
        unstored = remembered.events(after: cursor, limit: Limits.pollEventsMax) { channel in
            wanted.contains(channel) || channel.wildcards.contains(where: wanted.contains)
        }
        self.visible = visible
        stored = BacklogReading(
            of: lists, lists.flatMap { $0.compactMap(\.storedWildcard) }, after: cursor,
            limit: Limits.pollEventsMax)
        stored.bringsDeletions = bringsDeletions
    }

    /// - Precondition: The stored part was read.
    var result: ReadAnswer.Result {
        let backlog = stored.backlog
        // Over too many channels there is no catching up: the poll goes on from now.
        let cutAt = backlog.flatMap { $0.isComplete ? nil : $0.through }
        var through = cutAt.map { min($0, visible) } ?? visible
        if unstored.count == Limits.pollEventsMax, let last = unstored.last {
            through = min(through, last.timetoken)
        }
        let events = ((backlog?.envelopes ?? []) + unstored).filter { $0.timetoken <= through }
            .sorted { $0.timetoken < $1.timetoken }
        return .backlog(
            events.map { ChannelEvent(channel: $0.channel, envelope: EncodedEnvelope($0)) },
            through: through)
    }
}
