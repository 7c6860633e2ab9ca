// The tasks of a model that is started; they end with it.

import SyncClient

/// What a model holds from its start to its stop, or to its own end.
final class Reading {
    enum Job: Hashable {
        case list, unread, events
        /// The question who is here.
        case presence
        /// The wait for those who do not type any more.
        case typing
    }

    private var tasks: [Job: Task<Void, Never>] = [:]
    /// Set when the channel is followed.
    var channel: SyncedChannel?
    /// What its list told, and how far that was taken; set when the start is over.
    var updates: StreamQueue<ListUpdate>?
    /// Whether the channel was not followed before, so that it is left at the stop.
    var isOwner = false

    /// In place of an earlier one, which is given up.
    subscript(job: Job) -> Task<Void, Never>? {
        get { tasks[job] }
        set {
            tasks[job]?.cancel()
            tasks[job] = newValue
        }
    }

    /// Takes the first update, which is there already; a caller that is cancelled does not end the
    /// stream by that.
    @MainActor static func first(of updates: AsyncStream<ListUpdate>) async -> ListUpdate? {
        await Task {
            for await update in updates { return update }
            return nil
        }.value
    }

    func cancel() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    deinit {
        cancel()
    }
}
