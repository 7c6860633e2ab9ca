// Who listens on this reactor, and getting every event to them: exactly once, in order.
//
// Confined to its reactor's thread. It knows no store: what is no longer in memory its parts ask
// the engine for. Each part owns its state, and knows those above it in the list below.

import Basis
import EventModel

/// The sessions of one reactor, and the order of a turn.
final class Hub {
    private(set) var sessions: [SessionID: Session] = [:]
    let ground: Ground
    let repairs: Repairs
    let attendance: Attendance
    let topics: TopicTable
    let outlet: Outlet
    let states: States
    let summaries: Summaries
    let live: LiveQueries
    let catchUp: CatchUp
    let subscriptions: Subscriptions
    let selections: Selections
    let polls: Polls
    let delivery: Delivery
    let marks: MarkFollowers

    init(engine: any Engine, settings: HubSettings = HubSettings(), counters: Counters) {
        ground = Ground(engine: engine, settings: settings, counters: counters)
        repairs = Repairs(settings.segmentedRepairs)
        attendance = Attendance(ground: ground)
        topics = TopicTable(ground: ground, repairs: repairs, attendance: attendance)
        outlet = Outlet(ground: ground, topics: topics)
        states = States(ground: ground, topics: topics, outlet: outlet)
        summaries = Summaries(ground: ground, outlet: outlet)
        live = LiveQueries(ground: ground, topics: topics, outlet: outlet)
        catchUp = CatchUp(
            ground: ground, topics: topics, outlet: outlet, states: states, summaries: summaries,
            live: live)
        subscriptions = Subscriptions(
            ground: ground, repairs: repairs, topics: topics, outlet: outlet, catchUp: catchUp)
        selections = Selections(
            ground: ground, topics: topics, outlet: outlet, subscriptions: subscriptions)
        polls = Polls(ground: ground, topics: topics, outlet: outlet)
        delivery = Delivery(
            ground: ground, topics: topics, polls: polls, live: live, outlet: outlet,
            summaries: summaries)
        marks = MarkFollowers(outlet: outlet)
    }

    var engine: any Engine { ground.engine }

    /// Takes what an administrator decided anew.
    ///
    /// Subscriptions that there are keep their pace.
    func apply(
        sendQueueBytesMax: Int, window: @escaping (Channel) -> Int,
        rules: @escaping (Channel) -> ReactionRules = { _ in ReactionRules() }
    ) {
        ground.apply(sendQueueBytesMax: sendQueueBytesMax, window: window, rules: rules)
        topics.settingsChanged()
    }

    // MARK: Turns

    func beginTurn(at milliseconds: UInt64) {
        ground.beginTurn(at: milliseconds)
        polls.beginTurn()
    }

    /// Takes the events of a step; they leave at the end of the turn.
    func accept(_ step: Commit) {
        for event in step.events {
            // Before it comes to its channel: who follows that from now on gets it, too.
            selections.heard(event)
            var encoded: EncodedEnvelope?
            topics.forEach(concernedBy: event.channel) { topic in
                // Once, however many topics it concerns, and not at all for none.
                let text = encoded ?? EncodedEnvelope(event)
                encoded = text
                if topic.pending.isEmpty { delivery.list(topic) }
                topic.pending.append(text)
            }
        }
        states.attach(step.digests)
        marks.moved(step.readMarks)
        // As this step says: the engine may have heard of later ones.
        selections.groupsChanged(step.groups, at: step.durable ?? ground.durablePosition)
        settle(visible: step.last, durable: step.durable ?? ground.durablePosition)
        polls.groupsChanged(step.groups)
    }

    func settle(visible: Timetoken, durable: Timetoken) {
        ground.settle(visible: visible, durable: durable)
    }

    /// Does what is due by the clock; called about once a second.
    func tick() {
        polls.tick()
        catchUp.retryStarved()
        states.askAgain()
        selections.searches.askAgain()
        outlet.closeStuck()
    }

    /// Sends what this turn brought.
    func endTurn() {
        // Who is sent events of a channel was told before that it is followed.
        selections.endTurn()
        delivery.publish()
        // After every topic has its news: a poll's cursor stands for all its channels.
        polls.endTurn()
        states.endTurn()
        catchUp.endTurn()
        summaries.endTurn()
        topics.endTurn()
        attendance.endTurn()
        outlet.endTurn()
    }

    /// When something is to be done though nothing happens, in milliseconds; `nil`: never.
    var nextDue: UInt64? {
        polls.areListed || selections.areListed || topics.hasEnding || attendance.hasLeavers
            || outlet.hasListed
            ? ground.now : [delivery.nextDue, summaries.nextDue].compactMap(\.self).min()
    }

    /// Gives up what is in the store too: the memory is nearly used up.
    func shed() {
        outlet.collapseLargest(of: sessions.values)
        for session in sessions.values { live.shed(session) }
        topics.forgetRecent()
        polls.topicsForgot()
        outlet.transport?.shed()
    }

    /// What all reactors count.
    var counters: Counters { ground.counters }

    // MARK: Sessions

    func open(_ session: Session) {
        sessions[session.id] = session
        ground.counters.sessions.add()
    }

    func forget(_ id: SessionID) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        session.isClosing = true
        session.demand.end()
        catchUp.leave(session)
        topics.cancelAll(of: session)
        selections.endAll(of: session)
        marks.forget(session)
        session.account?.add(.connections, -1)
        ground.counters.sessions.add(-1)
    }

    /// Answers every question that no reader has yet: the daemon is stopping.
    func refuseQuestions() {
        for session in sessions.values {
            while let question = session.questions.popFirst() {
                catchUp.refuse(question, of: session, .draining)
            }
        }
    }

    // MARK: Subscriptions

    /// Starts to follow a channel; an earlier subscription of the session to it ends.
    ///
    /// - Parameters:
    ///   - cursor: What the device has; `nil` to follow from now on.
    ///   - isNamed: Whether it goes on without any selection that brings the channel.
    /// - Returns: Whether anything older comes first.
    @discardableResult
    func subscribe(
        _ session: Session, to channel: Channel, from cursor: Timetoken?, pace: Pace = Pace(),
        window: Timetoken? = nil, isNamed: Bool = true
    ) -> Bool {
        subscriptions.begin(
            session, on: channel, from: cursor, pace: pace, window: window, isNamed: isNamed)
    }

    /// Starts to follow a channel, and sends nothing of it before its device is repaired.
    ///
    /// - Parameter cursor: The device has all messages up to here.
    func hold(
        _ session: Session, on channel: Channel, at cursor: Timetoken, pace: Pace = Pace(),
        isNamed: Bool = true
    ) {
        subscriptions.hold(session, on: channel, at: cursor, pace: pace, isNamed: isNamed)
    }

    /// A cursor for who follows a channel from now on: every stored event after it will come.
    func freshCursor(in channel: Channel) -> Timetoken { subscriptions.freshCursor(in: channel) }

    func unsubscribe(_ session: Session, from channel: Channel) {
        subscriptions.end(session, on: channel)
    }

    // MARK: Repairs

    /// Takes symbols of what a device has.
    ///
    /// - Returns: All that came so far, to be compared by a reader; or what to answer at once.
    func take(
        _ request: RepairRequest, for subscription: Subscription, command: CommandID
    ) -> Result<RepairQuery, RepairRefusal> {
        let difference = request.level == .rows ? subscription.repair?.difference : nil
        var chosen: SegmentDifference?
        if let choice = request.choice, let difference {
            chosen = difference.chosen(choice)
            guard chosen != nil else {
                let expected =
                    "at most one row of each stretch that differs, and \"only\" "
                    + "numbers of these, from 1"
                return .failure(.error(.invalidField("fetch", expected)))
            }
        }
        // The answer to an earlier question may be one more than the session has room for: then
        // nobody is held any more.
        if request.run.first == 0 {
            subscriptions.endRepair(of: subscription)
            switch request.level {
            case .whole: counters.repairs.add()
            case .segments: counters.segmentRepairs.add()
            // Goes on with what the segments told.
            case .rows: break
            }
        }
        return repairs.take(
            request, in: difference, chosen: chosen, for: subscription, command: command)
    }

    /// Takes what a reader made of the symbols, and lets the subscription go on when they told.
    func finishRepair(
        _ outcome: RepairOutcome, for answer: ReadAnswer
    ) -> Result<Reply, ProtocolError> {
        guard case .client(let origin) = answer.asker, let session = sessions[origin.session],
            let subscription = session.subscriptions[answer.channel],
            subscription.state == .held, subscription.repair?.command == origin.command
        else { return .failure(.noRepair) }
        switch outcome {
        case .needs(let count) where count <= Limits.repairSymbolsMax:
            let needed = repairs.goOn(subscription, needing: count)
            return .success(.repair(.needsSymbols(needed)))
        case .segments(let difference, let states):
            repairs.goOn(subscription, withRowsOf: difference)
            return .success(
                .repair(
                    .segments(
                        difference.ranges, states: states, symbols: difference.symbolCount)))
        case .missing(let timetokens):
            guard let difference = subscription.repair?.difference else {
                return .failure(.noRepair)
            }
            repairs.goOn(subscription, withRowsOf: difference)
            return .success(.repair(.missing(timetokens)))
        case .whole:
            subscriptions.endRepair(of: subscription)
            return .success(.repair(.whole))
        case .repaired(let channel):
            subscriptions.endRepair(of: subscription)
            if let digest = channel.digest {
                states.learn(digest, at: channel.cursor, of: answer.channel)
            }
            // It lacks only what came after.
            subscription.rowsFrom = channel.cursor
            outlet.lag(subscription)
            return .success(
                .repair(
                    .difference(
                        RepairDifference(
                            cursor: channel.cursor, state: channel.digest, rows: channel.rows,
                            messages: channel.messages, dropped: channel.drop))))
        case .needs, .snapshot:
            subscriptions.endRepair(of: subscription)
            return .success(.repair(.snapshot))
        }
    }

    // MARK: Invariants

    /// Whether looking at everything once a second costs nothing that a test could measure.
    var isSmall: Bool { sessions.count + polls.count <= 500 }

    /// Looks whether everything that points at something else is pointed back at, and every sum is
    /// one; a breach is our own bug, and ends the process.
    ///
    /// Called after each turn by the simulator, and once a second by debug builds if ``isSmall``.
    ///
    /// - Complexity: O(sessions, subscriptions, polls and topics).
    func checkInvariants() {
        for (id, session) in sessions {
            precondition(session.id == id, "A session is found under its own name.")
            session.checkInvariants()
            session.live?.checkInvariants()
        }
        ground.checkInvariants()
        repairs.checkInvariants(of: sessions.values)
        topics.checkInvariants(of: sessions.values)
        attendance.checkInvariants(of: sessions.values)
        outlet.checkInvariants()
        states.checkInvariants()
        summaries.checkInvariants()
        catchUp.checkInvariants()
        selections.checkInvariants(of: sessions.values)
        polls.checkInvariants()
        delivery.checkInvariants()
        marks.checkInvariants(of: sessions)
    }
}

/// What an administrator decided for a hub.
struct HubSettings {
    /// Bytes that may wait for one session's socket.
    var sendQueueBytesMax = Limits.sendQueueBytesMax
    /// Bytes of recent events, of all topics.
    var recentBytesMax = Limits.recentBytesMax
    /// Bytes of what readers find for polls.
    var polledPagesBytesMax = Limits.polledPagesBytesMax
    /// How long events of a channel wait for more, in milliseconds.
    var window: (Channel) -> Int = { _ in 0 }
    /// Who is repaired by segments.
    var segmentedRepairs = SegmentedRepairs()
    /// What reactions there are in a channel.
    var rules: (Channel) -> ReactionRules = { _ in ReactionRules() }
}
