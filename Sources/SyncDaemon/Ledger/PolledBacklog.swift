// What a poll missed: stored and unstored events of several channels, in one order.

import EventModel

/// A poll's backlog while its stored part is being read.
struct PolledBacklog: Sendable {
    var stored: BacklogReading
    private let unstored: [Envelope]
    private let visible: Timetoken
    private let bytesMax: Int

    /// - Parameters:
    ///   - lists: Channels, all of one keyset.
    ///   - bytesMax: Of events that are encoded, but for one that is longer.
    init(
        of lists: [[Channel]], after cursor: Timetoken, bringsDeletions: Bool, bytesMax: Int,
        _ order: EventOrder
    ) {
        self.bytesMax = bytesMax
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
        let found = encoded(events)
        if found.count < events.count, let last = found.last {
            through = last.envelope.timetoken
        }
        return .backlog(found, through: through)
    }

    /// As many as are not too long: thousands of polls may wait for as much, and each has a copy of
    /// its own.
    private func encoded(_ events: [Envelope]) -> [ChannelEvent] {
        var found: [ChannelEvent] = []
        var bytes = 0
        for event in events {
            let encoded = EncodedEnvelope(event)
            bytes += encoded.json.count
            guard bytes <= bytesMax || found.isEmpty else { break }
            found.append(ChannelEvent(channel: event.channel, envelope: encoded))
        }
        return found
    }
}
