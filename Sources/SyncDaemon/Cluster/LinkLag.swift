// How late a link is, by marks that go there and back.

import EventModel

/// Decides when to send a mark, and when an answer is so late that the link is better cut.
///
/// Words may come and be late all the same, or come and answer nothing: then clients would go on
/// here whose tokens were taken back, and wait for ever for what they write.
struct LinkLag {
    /// What to do at a moment.
    enum Step: Equatable {
        /// None is on its way: send one.
        case ask
        /// One is on its way, for so many milliseconds.
        case waits(UInt64)
        /// For longer than a link may be late.
        case late
    }

    private let millisecondsMax: UInt64
    private var sent: (mark: Int, at: UInt64)?

    /// - Parameter millisecondsMax: How late a mark may be before the link is to end.
    init(millisecondsMax: UInt64 = UInt64(Limits.linkLagSeconds) * 1000) {
        self.millisecondsMax = millisecondsMax
    }

    /// - Parameter now: Milliseconds on a clock that never steps back, as all others here.
    func step(at now: UInt64) -> Step {
        guard let sent else { return .ask }
        return now - sent.at > millisecondsMax ? .late : .waits(now - sent.at)
    }

    mutating func send(_ mark: Int, at now: UInt64) { sent = (mark, now) }

    /// It did not leave.
    mutating func takeBack() { sent = nil }

    /// - Returns: How many milliseconds the mark was on its way that this one answers; `nil` when
    ///   there is none.
    mutating func hear(_ mark: Int, at now: UInt64) -> UInt64? {
        guard let sent, mark >= sent.mark else { return nil }
        self.sent = nil
        return now - sent.at
    }
}
