// What one channel of a cache file is worth, segment by segment. Pure.

import EventModel

/// What was found in a channel of a cache file.
struct CacheFinding: Hashable {
    /// A row on which the device and the daemon did not agree.
    struct Difference: Hashable {
        var row: RowChange
        /// Whether the daemon has it and the device had not; else the other way round.
        var wasMissing: Bool {
            switch row {
            case .messagePut, .actionPut: true
            case .messageDropped, .actionDropped: false
            }
        }
    }

    /// A stretch of messages with rows that differ.
    struct Segment: Hashable {
        var messages: MessageRange
        /// In the order of their messages.
        var differences: [Difference]
    }

    /// What stands before the part of a channel that a file holds.
    struct Rest: Hashable {
        /// The file has what is on messages after this.
        var after: Timetoken
        /// Whether it comes to what the file says, or could be brought up to date.
        var isEqual: Bool
    }

    var channel: String
    /// What the device has after the comparison.
    var messages: Int
    var actions: Int
    var cursor: Timetoken
    /// Those that differ, ascending.
    var segments: [Segment]
    /// `nil`: the file holds the channel whole.
    var rest: Rest?
    /// Rows that differ.
    var rowCount: Int { segments.reduce(0) { $0 + $1.differences.count } }
    var isEqual: Bool { segments.isEmpty && rest?.isEqual != false }

    /// Messages of a segment on average, as daemons cut their channels.
    ///
    /// - Source: docs/RECONCILIATION.md, Segments.
    static let segmentMessages = 32
}

extension [CacheFinding.Segment] {
    /// Puts rows where they belong.
    ///
    /// - Parameter messages: Those of the channel, in any order.
    init(of rows: [RowChange], cutBefore messages: some Sequence<Timetoken>) {
        var starts: [Timetoken] = [.zero]
        for message in messages.sorted()
        where message.beginsSegment(ofMessages: CacheFinding.segmentMessages) {
            starts.append(Timetoken(rawValue: message.rawValue - 1))
        }
        self = []
        var index = 0
        for row in rows.inOrder {
            while index + 1 < starts.count, starts[index + 1] < row.messageTimetoken { index += 1 }
            let through = index + 1 < starts.count ? starts[index + 1] : .end
            let messages = MessageRange(after: starts[index], through: through)
            if last?.messages != messages {
                append(CacheFinding.Segment(messages: messages, differences: []))
            }
            self[count - 1].differences.append(.init(row: row))
        }
    }
}

extension [RowChange] {
    /// By their messages; those on one message as they were.
    fileprivate var inOrder: [RowChange] {
        enumerated().sorted {
            ($0.element.messageTimetoken, $0.offset) < ($1.element.messageTimetoken, $1.offset)
        }.map(\.element)
    }
}
