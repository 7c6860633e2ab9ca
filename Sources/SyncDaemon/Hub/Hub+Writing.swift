// Getting frames to sockets: what a session may hold, and who is written to at the end of the turn.

import EventModel

extension Hub {
    /// The socket takes bytes again.
    func canWrite(_ session: Session) {
        session.isBlocked = false
        listForFlush(session)
    }

    /// Queues a reply.
    func queue(_ frame: Frame, for session: Session) {
        guard !session.isClosing, hasRoom(for: frame, in: session) else { return }
        session.queue.append(frame)
        listForFlush(session)
    }

    /// Queues a batch for a subscription, or sets the subscription back when there is no room.
    ///
    /// - Parameter position: What the subscription has seen once the batch has left.
    func queue(_ frame: Frame, for subscription: Subscription, through position: Timetoken) {
        let session = subscription.session
        guard !session.isClosing else { return }
        if writeAtOnce(frame, to: session) {
            subscription.position = max(subscription.position, position)
            return
        }
        let push = QueuedPush(subscription: subscription, before: subscription.position)
        guard hasRoom(for: frame, in: session) else { return setBack(push) }
        // Making room may have set this very subscription back: then it reads this again, too.
        guard subscription.position == push.before, subscription.state != .lagging else { return }
        subscription.position = max(subscription.position, position)
        session.queue.append(frame, push)
        listForFlush(session)
    }

    /// Writes a frame past the session's queue, if nothing is in its way.
    ///
    /// - Returns: `false` when it has to be queued.
    private func writeAtOnce(_ frame: Frame, to session: Session) -> Bool {
        guard writesAtOnce, let transport, !session.isListedForFlush, !session.isBlocked,
            session.queue.isEmpty
        else { return false }
        session.isBlocked = !transport.write(frame.bytes.span, to: session.id)
        tally.frames += 1
        tally.bytes += frame.bytes.count
        return true
    }

    /// Whether a frame still fits, after the socket and then the batches had to make room.
    private func hasRoom(for frame: Frame, in session: Session) -> Bool {
        func fits() -> Bool {
            // One frame alone may be larger: it is not the reader's fault how long a reply is.
            session.queue.isEmpty
                || session.queue.byteCount + frame.bytes.count <= settings.sendQueueBytesMax
        }
        if fits() { return true }
        // What came in this turn has not been offered to the socket yet: that is not the reader's
        // fault.
        write(session)
        if fits() { return true }
        collapse(session)
        if fits() { return true }
        // Replies alone: nobody is owed so many.
        session.queue.removeAll()
        counters.slowConsumersClosed.add()
        close(session, .tryAgainLater, Self.tooSlow)
        return false
    }

    func listForFlush(_ session: Session) {
        guard !session.isListedForFlush else { return }
        session.isListedForFlush = true
        sessionsToFlush.append(session)
    }

    func write(_ session: Session) {
        guard let transport else { return }
        while !session.isBlocked, !session.isClosing, !session.queue.isEmpty {
            session.queue.takeNext(atMost: Limits.writeBytesMax, scratch: &scratch) { bytes in
                session.isBlocked = !transport.write(bytes, to: session.id)
                tally.frames += 1
                tally.bytes += bytes.count
            }
        }
    }
}
