// The long polls of one reactor that wait for their answers.

import Basis
import EventModel

/// Finds polls by connection and by the time at which they end.
struct PollTable {
    /// Not the poll itself: answered ones would be kept until their time.
    private struct Deadline {
        let at: UInt64
        let session: SessionID
        let command: CommandID
    }

    private(set) var open: [SessionID: LongPoll] = [:]
    /// All polls wait equally long, so they end in the order in which they came.
    private var deadlines = Queue<Deadline>()

    mutating func add(_ poll: LongPoll, endsAt deadline: UInt64) {
        open[poll.request.session] = poll
        deadlines.append(
            Deadline(
                at: deadline, session: poll.request.session, command: poll.request.command))
    }

    mutating func remove(_ poll: LongPoll) {
        open[poll.request.session] = nil
    }

    /// The polls whose time is over; those that were answered long ago are passed over.
    mutating func takeOverdue(at now: UInt64) -> [LongPoll] {
        var overdue: [LongPoll] = []
        while let deadline = deadlines.first {
            // Another one, once this one was answered.
            let poll = open[deadline.session]
            let isOpen = poll?.request.command == deadline.command
            guard deadline.at <= now || !isOpen else { break }
            if isOpen, let poll { overdue.append(poll) }
            _ = deadlines.popFirst()
        }
        // Answered polls stay in the list until their time comes, unless they are most of it.
        if deadlines.count > 2 * open.count + 1024 {
            deadlines.removeAll { open[$0.session]?.request.command != $0.command }
        }
        return overdue
    }
}
