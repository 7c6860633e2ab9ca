// Getting frames to sockets: what a session may hold, who is written to at the end of the turn, and
// who reads more slowly than events come.

import Basis
import EventModel
import JSON

/// The sockets of one reactor, and what waits for them.
final class Outlet {
    private(set) var transport: (any Transport)?
    /// Oldest first; it keeps its memory from turn to turn.
    private var toFlush: [Session] = []
    /// Of these, the first so many are done.
    private var flushedCount = 0
    /// Found to read too slowly, and given a while.
    private var slow: [SessionID: Session] = [:]
    private var tally = Tally()
    private var json = JSONWriter(reserving: 4096)
    private var scratch: [UInt8] = []
    private let ground: Ground
    private let topics: TopicTable

    /// What a turn did, for the counters, which all threads share: each is touched once per turn.
    private struct Tally: Equatable {
        var deliveries = 0
        var frames = 0
        var bytes = 0
    }

    init(ground: Ground, topics: TopicTable) {
        self.ground = ground
        self.topics = topics
    }

    /// Connects the hub to the transport, which cannot exist before its delegate.
    func attach(_ transport: any Transport) { self.transport = transport }

    /// Answers a connection that is no session.
    func respond(_ response: HTTPResponse, to connection: SessionID) {
        transport?.respond(response, to: connection)
    }

    /// Has the end of a peer looked for whose request waits for an event now.
    func mayTakeLong(_ connection: SessionID) { transport?.mayTakeLong(connection) }

    /// Has no more read of a request's body, or has it read on.
    func hold(_ connection: SessionID, _ isHeld: Bool) { transport?.hold(connection, isHeld) }

    /// Who is at the other end of a connection, for the log.
    func peer(of connection: SessionID) -> PeerAddress? { transport?.peer(of: connection) }

    /// Whether sockets have not taken all of their responses yet.
    var hasUnsentResponses: Bool { transport?.hasUnsentResponses ?? false }

    func frame(
        of summaries: [MessageSummary], in channel: Channel, cursor: Timetoken
    ) -> Frame {
        json.removeAll()
        json.push(summaries, of: channel, cursor: cursor)
        return Frame(text: json.bytes)
    }

    func frame(
        of events: ArraySlice<EncodedEnvelope>, in channel: Channel, cursor: Timetoken,
        state: Digest?, window: BatchWindow? = nil
    ) -> Frame {
        json.removeAll()
        json.push(events, of: channel, cursor: cursor, state: state, window: window)
        return Frame(text: json.bytes)
    }

    /// Queues a batch for a subscription, or sets the subscription back when there is no room.
    ///
    /// - Parameters:
    ///   - count: The batch's events.
    ///   - position: What the subscription has seen once the batch has left.
    ///   - atOnce: Whether to write it past the session's queue, if nothing is in its way.
    func queue(
        _ frame: Frame, of count: Int, for subscription: Subscription,
        through position: Timetoken, atOnce: Bool = false
    ) {
        let session = subscription.session
        guard !session.isClosing else { return }
        tally.deliveries += count
        if atOnce, let transport, !session.isListedForFlush, !session.isBlocked,
            session.queue.isEmpty, tally.bytes < Limits.flushedBytesPerTurnMax
        {
            session.isBlocked = !transport.write(frame.bytes.span, to: session.id)
            tally.frames += 1
            tally.bytes += frame.bytes.count
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

    /// Queues what a subscription is told about changes that it is past already.
    ///
    /// When there is no room it reads again from before those.
    func queue(
        _ frame: Frame, of count: Int, for subscription: Subscription,
        readingAgainFrom before: Timetoken
    ) {
        let session = subscription.session
        guard !session.isClosing, subscription.state != .cancelled else { return }
        let push = QueuedPush(subscription: subscription, before: before, isSummary: true)
        let position = subscription.position
        // Making room may have set this very subscription back.
        guard hasRoom(for: frame, in: session), subscription.position == position else {
            return setBack(push)
        }
        tally.deliveries += count
        session.queue.append(frame, push)
        listForFlush(session)
    }

    /// Has a subscription that is behind read from before what it is not sent.
    func setBack(_ subscription: Subscription, to before: Timetoken) {
        setBack(QueuedPush(subscription: subscription, before: before, isSummary: true))
    }

    /// Counts events that went another way than through a queue.
    func count(deliveries: Int) { tally.deliveries += deliveries }

    /// Queues a reply or an error.
    func send(_ session: Session, _ write: (inout JSONWriter) -> Void) {
        json.removeAll()
        write(&json)
        let frame = Frame(text: json.bytes)
        guard !session.isClosing, hasRoom(for: frame, in: session) else { return }
        session.queue.append(frame)
        listForFlush(session)
    }

    /// Closes a session after what is queued for it has left.
    func close(_ session: Session, _ reason: CloseReason) {
        guard !session.isClosing else { return }
        write(session)
        session.isClosing = true
        topics.cancelAll(of: session)
        transport?.close(session.id, reason)
    }

    // MARK: Writing

    /// The socket takes bytes again.
    func canWrite(_ session: Session) {
        session.isBlocked = false
        listForFlush(session)
    }

    func listForFlush(_ session: Session) {
        guard !session.isListedForFlush else { return }
        session.isListedForFlush = true
        toFlush.append(session)
    }

    /// Whether some wait for the next turn, as this one wrote enough.
    var hasListed: Bool { flushedCount < toFlush.count }

    /// Takes the next session that is to be flushed, which may list others, and itself again.
    func takeListed() -> Session? {
        guard tally.bytes < Limits.flushedBytesPerTurnMax, hasListed else { return nil }
        let session = toFlush[flushedCount]
        flushedCount += 1
        session.isListedForFlush = false
        return session
    }

    /// Writes what waits, as far as the socket takes it.
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

    /// Adds what was done to the counters.
    func endTurn() {
        if hasListed {
            toFlush.removeFirst(flushedCount)
        } else {
            toFlush.removeAll(keepingCapacity: true)
        }
        flushedCount = 0
        if tally.frames > 0 {
            ground.counters.framesWritten.add(tally.frames)
            ground.counters.bytesWritten.add(tally.bytes)
        }
        if tally.deliveries > 0 { ground.counters.deliveries.add(tally.deliveries) }
        tally = Tally()
    }

    // MARK: Slow readers

    /// Whether a frame still fits, after the socket and then the batches had to make room.
    private func hasRoom(for frame: Frame, in session: Session) -> Bool {
        func fits() -> Bool {
            // One frame alone may be larger: it is not the reader's fault how long a reply is.
            session.queue.isEmpty
                || session.queue.byteCount + SendQueue.bytes(of: frame)
                    <= ground.settings.sendQueueBytesMax
        }
        if fits() { return true }
        // What came in this turn has not been offered to the socket yet: that is not the reader's
        // fault.
        write(session)
        if fits() { return true }
        collapse(session)
        if fits() { return true }
        // Replies alone: nobody is owed so many.
        closeTooSlow(session)
        return false
    }

    /// Drops the batches that wait for a session, and has it read them again when it can.
    ///
    /// Nothing is lost but what is not stored. The memory is given back, and nobody else notices.
    func collapse(_ session: Session) {
        for push in session.queue.dropPushes() { setBack(push) }
        ground.counters.slowConsumersCollapsed.add()
        guard session.mustReadBy == nil else { return }
        session.mustReadBy = ground.now + UInt64(Limits.stuckSeconds) * 1000
        slow[session.id] = session
    }

    /// Drops half of all that waits for sessions, the longest queues first.
    ///
    /// - Complexity: O(sessions log sessions), which is called for no more than once a second.
    func collapseLargest(of sessions: some Sequence<Session>) {
        let waiting = sessions.filter { !$0.queue.isEmpty }
            .sorted { $0.queue.byteCount > $1.queue.byteCount }
        var rest = waiting.reduce(0) { $0 + $1.queue.byteCount } / 2
        for session in waiting where rest > 0 {
            rest -= session.queue.byteCount
            collapse(session)
        }
    }

    /// Has a subscription read again from before a batch that was dropped.
    private func setBack(_ push: QueuedPush) {
        // The client took it back: what was dropped is of no use to it.
        guard push.subscription.state != .cancelled else { return }
        // It has messages already, and who begins with everything is told of no deletion: it comes
        // again with nothing.
        let before = min(push.before, push.subscription.owed?.since ?? push.before)
        if push.isSummary || push.subscription.owed != nil, before == .zero {
            return close(push.subscription.session, .tooSlow)
        }
        if push.subscription.setBack(to: push.before) { lag(push.subscription) }
    }

    /// Has a subscription read on from its position, when its session has room.
    func lag(_ subscription: Subscription) {
        guard !subscription.session.isClosing else { return }
        subscription.state = .lagging
        subscription.session.lagging.append(subscription)
        listForFlush(subscription.session)
    }

    /// Closes those that have taken nothing for a while; called about once a second.
    ///
    /// A part of them at a time: closing a thousand in one turn would be felt by all others.
    func closeStuck() {
        var rest = max(Limits.stuckClosedPerSecond, slow.count / 10)
        for session in slow.values {
            guard !session.isClosing, let deadline = session.mustReadBy else {
                slow[session.id] = nil
                continue
            }
            guard ground.now >= deadline else { continue }
            guard rest > 0 else { return }
            rest -= 1
            slow[session.id] = nil
            closeTooSlow(session)
        }
    }

    private func closeTooSlow(_ session: Session) {
        session.queue.removeAll()
        ground.counters.slowConsumersClosed.add()
        close(session, .tooSlow)
    }

    func checkInvariants() {
        precondition(tally == Tally(), "A turn adds all that it did to the counters.")
        for (id, session) in slow {
            precondition(session.id == id, "Who is slow is found under its own name.")
        }
    }
}
