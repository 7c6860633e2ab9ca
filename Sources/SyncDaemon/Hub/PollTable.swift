// The long polls of one reactor that wait for their answers.

import EventModel

/// Finds polls by connection, by group and by the time at which they end.
struct PollTable {
    private(set) var open: [SessionID: LongPoll] = [:]
    private var byGroup: [ChannelGroup: Set<SessionID>] = [:]
    /// All polls wait equally long, so they end in the order in which they came.
    private var deadlines: [(at: UInt64, poll: LongPoll)] = []
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
        deadlines.append((deadline, poll))
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
            guard entry.at <= now || entry.poll.state == .done else { break }
            if entry.poll.state != .done { overdue.append(entry.poll) }
            head += 1
        }
        // Answered polls stay in the list until their time comes, unless they are most of it.
        if head * 2 > deadlines.count || deadlines.count > 2 * open.count + 1024 {
            deadlines = deadlines[head...].filter { $0.poll.state != .done }
            head = 0
        }
        return overdue
    }
}
