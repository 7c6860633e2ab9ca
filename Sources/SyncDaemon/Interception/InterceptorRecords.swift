// Users whose questions had no answer.

import EventModel

/// What an interceptor left unanswered, by user: so what somebody writes is their own trouble.
struct InterceptorRecords {
    private struct Record {
        /// Questions in a row without an answer.
        var missed = 0
        /// When the first of them was asked, in milliseconds.
        var since: UInt64 = 0
        /// Questions that may be under way at a time.
        var share: Int
        /// When one may be tried again after too many, in milliseconds.
        var trial: UInt64 = 0
        var isTried = false

        var isShut: Bool { missed >= Limits.interceptorFailuresMax }
    }

    private var records: [InterceptorLines.User: Record] = [:]

    /// How many of a user's questions may be under way; `nil`: as many as of anybody.
    func share(of user: InterceptorLines.User) -> Int? { records[user]?.share }

    /// Whether somebody has questions in a row without an answer.
    func hasMissed(_ user: InterceptorLines.User) -> Bool { (records[user]?.missed ?? 0) > 0 }

    /// Whether so many of a user's questions had none that it is hardly asked about them.
    func isShut(_ user: InterceptorLines.User) -> Bool { records[user]?.isShut ?? false }

    /// Whether others were answered since a user was not.
    ///
    /// - Parameter answer: When somebody was, the last time.
    func isAlone(_ user: InterceptorLines.User, answer: UInt64) -> Bool {
        records[user].map { $0.since < answer } ?? false
    }

    /// Begins a trial of one who is hardly asked about.
    ///
    /// - Returns: `false`: it is not the time yet.
    mutating func beginTrial(of user: InterceptorLines.User, at now: UInt64) -> Bool {
        guard let record = records[user], !record.isTried, record.trial <= now else { return false }
        records[user]?.isTried = true
        records[user]?.trial = now + UInt64(Limits.interceptorProbeMilliseconds)
        return true
    }

    mutating func endTrial(of user: InterceptorLines.User) { records[user]?.isTried = false }

    mutating func answered(_ user: InterceptorLines.User) {
        guard let record = records[user] else { return }
        if record.share + 1 >= Limits.interceptorRequestsPerUserMax {
            records[user] = nil
        } else {
            records[user]?.missed = 0
            records[user]?.share = record.share + 1
        }
    }

    /// Takes a question without an answer, and has fewer of the user's under way.
    ///
    /// - Parameters:
    ///   - isFailure: `false`: the user asked too much.
    ///   - asked: When it was asked.
    ///   - share: What a user may have under way.
    mutating func missed(
        _ user: InterceptorLines.User, isFailure: Bool, asked: UInt64, share: Int
    ) {
        if records[user] == nil, records.count >= Limits.interceptorRecordsMax,
            let other = records.keys.first
        {
            records[other] = nil
        }
        var record = records[user] ?? Record(share: share)
        record.share = max(1, min(record.share, share) / 2)
        if isFailure {
            if record.missed == 0 { record.since = asked }
            record.missed += 1
        }
        records[user] = record
    }
}
