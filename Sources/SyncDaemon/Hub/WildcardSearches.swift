// Asking readers which channels under a wildcard have something already.

import EventModel

/// The searches of one reactor; of a session one at a time.
final class WildcardSearches {
    private var open: [PageNumber: FollowedSelection] = [:]
    private var next: PageNumber = 1
    /// Those that the readers had no room for, or whose session has another one open.
    private var waiting: [FollowedSelection] = []
    private let ground: Ground

    init(ground: Ground) {
        self.ground = ground
    }

    /// Has a reader look for what a wildcard has since the position where its channels start.
    func begin(for followed: FollowedSelection) {
        guard let wildcard = followed.wildcard, let since = followed.since else { return }
        // One at a time: what it does not wait for goes on to cost.
        let session = followed.session
        guard session.search == nil else { return waiting.append(followed) }
        let request = ReadRequest(
            asker: .selection(next, reactor: ground.engine.reactor), channel: wildcard,
            query: .channels(under: wildcard, changedAfter: since), demand: session.demand)
        guard ground.engine.ask(request) else { return waiting.append(followed) }
        followed.question = next
        session.search = next
        open[next] = followed
        next += 1
    }

    /// Whose search a reader ended; `nil` when nobody waits for it any more.
    func found(_ number: PageNumber) -> FollowedSelection? {
        guard let followed = open.removeValue(forKey: number) else { return nil }
        followed.question = nil
        followed.session.search = nil
        return followed
    }

    /// Hears that a reader failed: it is asked again.
    func failedToRead(_ number: PageNumber) {
        if let followed = found(number) { waiting.append(followed) }
    }

    /// Hears that a session is gone: no answer comes.
    func end(of session: Session) {
        if let search = session.search { _ = found(search) }
    }

    /// Asks what could not be asked; called about once a second.
    func askAgain() {
        let again = waiting
        waiting = []
        for followed in again where !followed.isEnded { begin(for: followed) }
    }
}
