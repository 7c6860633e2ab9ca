// The long polls of one reactor that wait for their answers.

import EventModel

/// Finds polls by connection, by group and by the time at which they end.
struct PollTable {
    /// Not the poll itself: answered ones would be kept until their time.
    private struct Deadline {
        let at: UInt64
        let session: SessionID
        let command: CommandID
    }

    private(set) var open: [SessionID: LongPoll] = [:]
    private var byGroup: [ChannelGroup: Set<SessionID>] = [:]
    /// All polls wait equally long, so they end in the order in which they came.
    private var deadlines: [Deadline] = []
    private var head = 0
    /// Served at the end of this turn.
    var listed: [LongPoll] = []
    /// The readers had no room for their questions.
    var starved: [LongPoll] = []

    mutating func add(_ poll: LongPoll, endsAt deadline: UInt64) {
        open[poll.request.session] = poll
        for group in poll.request.groups {
            byGroup[group, default: []].insert(poll.request.session)
        }
        deadlines.append(
            Deadline(
                at: deadline, session: poll.request.session, command: poll.request.command))
    }

    mutating func remove(_ poll: LongPoll) {
        open[poll.request.session] = nil
        for group in poll.request.groups {
            byGroup[group]?.remove(poll.request.session)
            if byGroup[group]?.isEmpty ?? false { byGroup[group] = nil }
        }
    }

    func polls(of group: ChannelGroup) -> [LongPoll] {
        byGroup[group, default: []].compactMap { open[$0] }
    }

    /// The polls whose time is over; those that were answered long ago are passed over.
    mutating func takeOverdue(at now: UInt64) -> [LongPoll] {
        var overdue: [LongPoll] = []
        while head < deadlines.count {
            let entry = deadlines[head]
            let poll = poll(of: entry)
            guard entry.at <= now || poll == nil else { break }
            if let poll { overdue.append(poll) }
            head += 1
        }
        // Answered polls stay in the list until their time comes, unless they are most of it.
        if head * 2 > deadlines.count || deadlines.count > 2 * open.count + 1024 {
            deadlines = deadlines[head...].filter { poll(of: $0) != nil }
            head = 0
        }
        return overdue
    }

    /// The poll that a deadline is of; `nil` once it was answered.
    private func poll(of deadline: Deadline) -> LongPoll? {
        open[deadline.session].flatMap {
            $0.request.command == deadline.command ? $0 : nil
        }
    }
}
