// What a store keeps of its daemons: their starts, their clock, and how far they may have counted.

import EventModel

/// What a commit says of time.
struct ClockRecord: Sendable, Hashable {
    /// No position beyond it was handed out, nor will be before a later commit raises it.
    var ceiling = Timetoken.zero
    /// `nil` in a store that was made before it was kept, and in tests.
    var anchor: ClockAnchor?
}

/// Everything up to a timetoken was there by a moment of the retention clock, in ticks.
struct AgeMark: Sendable, Hashable {
    var through: Timetoken
    var ticks: UInt64
}

/// One start of a daemon on a store.
struct StoreRun: Sendable, Hashable {
    /// Eight random hexadecimal digits.
    var id: String
    /// The store's last commit before it: no cursor of an earlier run is later.
    ///
    /// Not the ceiling: a later copy of this store may have committed something below that.
    var startedAfter: Timetoken
    /// Its own cursors are at or after this.
    var began: Timetoken
    /// The last commit in it; `nil`: the next run's `startedAfter`, or it still runs.
    var ended: Timetoken?

    init(
        id: String, startedAfter: Timetoken, began: Timetoken? = nil, ended: Timetoken? = nil
    ) {
        self.id = id
        self.startedAfter = startedAfter
        self.began = began ?? startedAfter
        self.ended = ended
    }

    /// A run with a name of its own: 32 random bits in hexadecimal.
    init(after last: Timetoken, began: Timetoken? = nil) {
        var generator = SystemRandomNumberGenerator()
        self.init(after: last, began: began, using: &generator)
    }

    init(
        after last: Timetoken, began: Timetoken? = nil,
        using generator: inout some RandomNumberGenerator
    ) {
        self.init(
            id: String(makeEpoch(using: &generator).prefix(8)), startedAfter: last, began: began)
    }

    /// Which of many runs to forget so that no more than `limit` are left: the shortest.
    ///
    /// A daemon that crashes again and again thus costs the cursors of its own short runs, and not
    /// those that devices got in the long ones before.
    ///
    /// - Parameter runs: In the order of their starts; the last one is never forgotten.
    /// - Returns: Their indices.
    static func forgettable(of runs: [StoreRun], keeping limit: Int) -> [Int] {
        guard runs.count > limit else { return [] }
        let lengths = zip(runs, runs.dropFirst()).map { run, next in
            next.began > run.began ? next.began.rawValue - run.began.rawValue : 0
        }
        let shortest = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        return Array(shortest.prefix(runs.count - limit))
    }
}
