// Sessions that read more slowly than events come: their backlog becomes positions to read on from.

import EventModel

extension Hub {
    static let tooSlow = "You read too slowly. Reconnect with your cursors."

    /// Drops the batches that wait for a session, and has it read them again when it can.
    ///
    /// Nothing is lost but what is not stored. The memory is given back, and nobody else notices.
    func collapse(_ session: Session) {
        for push in session.queue.dropPushes() { setBack(push) }
        counters.slowConsumersCollapsed.add()
        guard session.mustReadBy == nil else { return }
        session.mustReadBy = now + UInt64(Limits.stuckSeconds) * 1000
        slowSessions[session.id] = session
    }

    /// Has a subscription read again from before a batch that was dropped.
    func setBack(_ push: QueuedPush) {
        let subscription = push.subscription
        guard subscription.state != .cancelled else { return }
        subscription.position = min(subscription.position, push.before)
        // The batch may have been the one that said it.
        subscription.lacksState = true
        switch subscription.state {
        case .lagging, .held, .cancelled: return
        case .reading:
            // The page that is under way starts too late.
            lastSerial += 1
            subscription.serial = lastSerial
        case .live: break
        }
        lag(subscription)
    }

    /// Closes those that have taken nothing for a while; called about once a second.
    ///
    /// A part of them at a time: closing a thousand in one turn would be felt by all others.
    func closeStuckSessions() {
        var rest = max(Limits.stuckClosedPerSecond, slowSessions.count / 10)
        for session in slowSessions.values {
            guard !session.isClosing, let deadline = session.mustReadBy else {
                slowSessions[session.id] = nil
                continue
            }
            guard now >= deadline else { continue }
            guard rest > 0 else { return }
            rest -= 1
            slowSessions[session.id] = nil
            counters.slowConsumersClosed.add()
            session.queue.removeAll()
            close(session, .tryAgainLater, Self.tooSlow)
        }
    }
}
