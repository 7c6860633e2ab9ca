// What `stats` and `top` make of their options.

/// Which figures of a daemon are shown, and how often.
struct StatsWork: Hashable {
    /// Seconds between two readings; each costs the daemon about a millisecond.
    static let intervals = 1...3600

    var place = AdminPlace()
    /// Row by row, until somebody ends it.
    var isWatching = false
    var interval = 1
    /// Ends after so many rows.
    var count: Int?
}

extension JobReader {
    func lookingAtStats() throws(UsageError) -> StatsWork {
        try refuseWords("stats")
        let isWatching = tokens.flags.contains("--watch")
        let work = StatsWork(
            place: adminPlace, isWatching: isWatching, interval: try interval(),
            count: try positive("--count"))
        guard work.count == nil || isWatching else {
            throw UsageError(message: "--count is for --watch.")
        }
        return work
    }

    func watchingTop() throws(UsageError) -> StatsWork {
        try refuseWords("top")
        guard !tokens.flags.contains("--json") else {
            throw UsageError(message: "top is for people: programs use stats --watch --json.")
        }
        return StatsWork(place: adminPlace, isWatching: true, interval: try interval())
    }

    private func refuseWords(_ name: String) throws(UsageError) {
        guard let word = words.first else { return }
        throw UsageError(message: "\(name) takes no \"\(word)\".")
    }

    private func interval() throws(UsageError) -> Int {
        let interval = try positive("--interval") ?? 1
        guard StatsWork.intervals.contains(interval) else {
            throw UsageError(
                message: "--interval is from \(StatsWork.intervals.lowerBound) to"
                    + " \(StatsWork.intervals.upperBound) seconds.")
        }
        return interval
    }
}
