// What a cursor is worth: which store gave it, in which run of the daemon, and whether this copy of
// the store has that run's end.

import EventModel

/// What a cursor is worth here.
enum CursorJudgement: Sendable, Hashable {
    /// Everything up to it is here.
    case known
    /// A later copy of this store gave it; they agree up to the position here.
    case beyond(Timetoken)
    /// It says nothing about this store.
    case foreign
}

/// The store and its runs, as they were when the daemon started.
///
/// A restored backup starts a run like any other. But what later runs of the lost copy gave is
/// recognised for ever: their cursors are beyond the end that their run has here, or their run is
/// not here at all.
struct Epochs: Sendable {
    private let store: String
    private let run: String
    /// Where each earlier run ended.
    private let ends: [String: Timetoken]
    /// In the order of their starts.
    private let runs: [StoreRun]

    /// - Parameter runs: In the order of their starts; the last one is the present one.
    init(store: String, runs: [StoreRun]) {
        guard let present = runs.last else { preconditionFailure("a store without a run") }
        self.store = store
        run = present.id
        var ends: [String: Timetoken] = [:]
        for (earlier, later) in zip(runs, runs.dropFirst()) {
            ends[earlier.id] = earlier.ended ?? later.startedAfter
        }
        self.ends = ends
        self.runs = runs
    }

    /// What clients are told: `STORE.RUN`.
    var text: String { "\(store).\(run)" }

    /// - Parameters:
    ///   - epoch: What the client was told when it got the cursor, if it says so. Without a run it
    ///     names the store alone, as earlier releases did: then a cursor is a later copy's if it is
    ///     from a time between two runs, when this copy handed out none.
    ///   - newest: The last commit.
    func judge(_ cursor: Timetoken, _ epoch: String?, newest: Timetoken) -> CursorJudgement {
        guard let epoch else { return judge(cursor, newest: newest) }
        let parts = epoch.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let store = parts.first, ExactText(String(store)) == ExactText(self.store) else {
            return .foreign
        }
        guard parts.count == 2 else { return judge(cursor, newest: newest) }
        var end = newest
        if parts[1] != run {
            guard let ended = ends[String(parts[1])] else { return .foreign }
            end = ended
        }
        return cursor <= end ? .known : .beyond(end)
    }

    /// - Complexity: O(log runs).
    private func judge(_ cursor: Timetoken, newest: Timetoken) -> CursorJudgement {
        guard cursor <= newest else { return .beyond(newest) }
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].startedAfter < cursor { low = middle + 1 } else { high = middle }
        }
        guard low > 0, cursor < runs[low - 1].began else { return .known }
        return .beyond(runs[low - 1].startedAfter)
    }
}
