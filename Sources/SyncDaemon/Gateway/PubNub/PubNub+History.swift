// History of an SDK: two generations of pages, counts and deletions.

import EventModel

extension PubNubRouter {
    static func history(
        _ request: PubNubRequest.HistoryRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        guard context.keyset.keepsMessages else { return PubNubError.historyDisabled.response }
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
        return context.ask(.histories([query]), about: request.channel)
    }

    static func fetch(
        _ request: PubNubRequest.FetchRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        guard context.keyset.keepsMessages else { return PubNubError.historyDisabled.response }
        let queries = request.channels.map { channel in
            var query = window(channel, request.start, request.end, request.limit)
            query.includesActions = request.includesActions
            query.bytesMax = Limits.historyBytesMax / request.channels.count
            return query
        }
        return context.ask(.histories(queries), about: request.channels[0])
    }

    static func messageCounts(
        _ cursors: [PubNubRequest.ChannelCursor], in context: PubNubContext
    ) -> HTTPResponse? {
        guard context.keyset.keepsMessages else { return PubNubError.historyDisabled.response }
        let questions = cursors.map {
            CountQuery(channel: $0.channel, after: $0.cursor)
        }
        return context.ask(.messageCounts(questions), about: cursors[0].channel)
    }

    static func deleteMessages(
        after start: Timetoken?, through end: Timetoken?, of channel: String,
        in context: PubNubContext
    ) -> HTTPResponse? {
        guard context.keyset.allowsDeleting else { return PubNubError.deletingDisabled.response }
        return context.submit(
            .deleteMessages(
                after: start ?? .zero, through: end ?? Timetoken(rawValue: UInt64(Int64.max))),
            in: channel)
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
