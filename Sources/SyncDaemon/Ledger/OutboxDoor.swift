// Between the ledger and whoever sends what waits for webhooks: what is new there, without waiting.

import Basis
import EventModel

/// What the ledger has done for webhooks since somebody looked; any thread may ask.
final class OutboxDoor: Sendable {
    private struct State {
        var news = OutboxNews()
        var isTold = false
        /// Lanes of which rows are a reason to be woken; `nil`: all.
        var wanted: Set<LaneID>?
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Has the first news after each ``take()`` wake somebody.
    func onNews(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// Tells what is committed.
    func tell(_ news: OutboxNews?) {
        guard let news else { return }
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            state.news.lanes.formUnion(news.lanes)
            state.news.settled += news.settled
            state.news.sealed += news.sealed
            state.news.overflown += news.overflown
            state.news.missed.merge(news.missed, uniquingKeysWith: +)
            state.news.uses = news.uses ?? state.news.uses
            // Rows for lanes that are busy are found when those get on.
            let isWanted = state.wanted.map { !$0.isDisjoint(with: news.lanes) } ?? true
            let isNews =
                isWanted && !news.lanes.isEmpty || !news.settled.isEmpty || news.overflown > 0
                || !news.sealed.isEmpty || !news.missed.isEmpty
            guard isNews, !state.isTold else { return nil }
            state.isTold = true
            return state.wake
        }
        wake?()
    }

    /// What is new since the last call; until ``want(_:)`` all that comes is a reason to be woken.
    func take() -> OutboxNews {
        state.withLock { state in
            defer { state.news = OutboxNews() }
            (state.isTold, state.wanted) = (false, nil)
            return state.news
        }
    }

    /// Has rows of other lanes wake nobody: they wait behind what those have.
    func want(_ lanes: Set<LaneID>) { state.withLock { $0.wanted = lanes } }
}
