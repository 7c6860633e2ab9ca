// History of an SDK: two generations of pages, counts and deletions.

import EventModel

extension PubNubRouter {
    static func history(
        _ request: PubNubRequest.HistoryRequest, in context: PubNubContext
    ) -> OperationOutcome {
        var query: HistoryQuery
        if request.isReversed {
            // Forward from `start`, up to and with `end`.
            query = HistoryQuery(
                channel: request.channel, before: request.end?.successor, after: request.start,
                limit: request.count)
            query.fromOldest = true
        } else {
            query = window(request.channel, request.start, request.end, request.count)
        }
        query.includesVersions = false
        return Operations.histories([query], for: context)
    }

    static func fetch(
        _ request: PubNubRequest.FetchRequest, in context: PubNubContext
    ) -> OperationOutcome {
        let queries = request.channels.map { channel in
            var query = window(channel, request.start, request.end, request.limit)
            query.includesActions = request.includesActions
            query.includesVersions = false
            query.bytesMax = Limits.historyBytesMax / request.channels.count
            return query
        }
        return Operations.histories(queries, for: context)
    }

    static func messageCounts(
        _ cursors: [PubNubRequest.ChannelCursor], in context: PubNubContext
    ) -> OperationOutcome {
        Operations.messageCounts(
            cursors.map { CountQuery(channel: $0.channel, after: $0.cursor) }, for: context)
    }

    static func deleteMessages(
        after start: Timetoken?, through end: Timetoken?, of channel: String,
        in context: PubNubContext
    ) -> OperationOutcome {
        if let end, PubNubRequest.Endpoint.isOne(after: start, through: end),
            !context.allows(.having(.delete, on: [channel]))
        {
            return Operations.deleteMessage(
                OwnDeletionRequest(channel: channel, messageTimetoken: end), by: context)
        }
        return Operations.deleteMessages(
            DeletionRequest(
                channel: channel, after: start ?? .zero,
                through: end ?? Timetoken(rawValue: UInt64(Int64.max))),
            by: context)
    }

    /// The newest messages before `start` and not before `end`.
    ///
    /// When `start` is the older of the two, it is left out and `end` is taken in.
    private static func window(
        _ channel: String, _ start: Timetoken?, _ end: Timetoken?, _ limit: Int
    ) -> HistoryQuery {
        if let start, let end, start < end {
            var query = HistoryQuery(
                channel: channel, before: end.successor, after: start, limit: limit)
            query.bytesMax = Limits.historyBytesMax
            return query
        }
        var query = HistoryQuery(
            channel: channel, before: start, after: end?.predecessor, limit: limit)
        // With a lower bound alone, too, the newest are wanted.
        if start == nil, end != nil { query.before = Timetoken(rawValue: UInt64(Int64.max)) }
        query.bytesMax = Limits.historyBytesMax
        return query
    }
}

extension Timetoken {
    /// The position just after: turns an inclusive bound into an exclusive one.
    fileprivate var successor: Timetoken {
        Timetoken(rawValue: min(rawValue + 1, UInt64(Int64.max)))
    }
}
