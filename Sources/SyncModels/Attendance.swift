// Who is in a channel: one answer of the daemon, and what was said since it was asked for. Pure.

import EventModel

/// The users of a channel as far as one connection told.
struct Attendance {
    /// What is beyond that is counted, and not listed.
    static let usersMax = Limits.presencePageMax

    private var present: Set<ExactText> = []
    /// Users that the daemon counts, listed or not.
    private(set) var occupancy = 0
    /// What was said while a question is open: the answer may be older or newer.
    private var heard: [PresenceNotice] = []
    private var asked = 0
    private var isAsking = false

    /// By their ids.
    var users: [String] { present.sorted().map(\.string) }

    /// A question goes out.
    ///
    /// - Returns: Its number, for the answer.
    mutating func ask() -> Int {
        heard = []
        isAsking = true
        asked += 1
        return asked
    }

    mutating func answer(_ page: OccupancyPage, to number: Int) {
        guard number == asked, isAsking else { return }
        isAsking = false
        present = Set(page.users.prefix(Self.usersMax).map { ExactText($0.userID) })
        occupancy = page.occupancy
        // In their order: what the answer has already comes to the same again.
        for notice in heard { apply(notice) }
        heard = []
    }

    /// - Returns: Whether the daemon has to be asked for what the notice does not say.
    mutating func hear(_ notice: PresenceNotice) -> Bool {
        if isAsking { heard.append(notice) }
        apply(notice)
        guard !isAsking else { return false }
        let isShort = present.count < min(notice.occupancy, Self.usersMax)
        return notice.needsRefresh
            || (notice.action == .interval
                && (isShort || present.count > notice.occupancy))
    }

    private mutating func apply(_ notice: PresenceNotice) {
        occupancy = notice.occupancy
        switch (notice.action, notice.userID) {
        case (.join, let user?), (.stateChange, let user?): insert(user)
        case (.leave, let user?), (.timeout, let user?): present.remove(ExactText(user))
        case (.interval, _):
            notice.joined.forEach { insert($0) }
            for user in notice.left + notice.timedOut { present.remove(ExactText(user)) }
        case (_, nil): break
        }
    }

    private mutating func insert(_ user: String) {
        guard present.count < Self.usersMax else { return }
        present.insert(ExactText(user))
    }

    /// The connection is gone: nobody knows.
    mutating func lose() {
        self = Attendance(asked: asked)
    }

    init(asked: Int = 0) {
        self.asked = asked
    }
}
