// The deciding half of a reactor: socket events and messages in, calls on hub and engine out.
//
// It knows no thread, no socket and no clock: the reactor, the simulator or a test passes the time
// in and says when a turn is.

import EventModel

/// All sessions of one reactor.
final class ReactorCore {
    let hub: Hub
    /// What the transport tells of WebSockets.
    let native: NativeDoor
    /// What it tells of HTTP requests.
    let http: HTTPDoor
    private let tenants: Tenants
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private var now: UInt64 = 0
    private var lastTick: UInt64 = 0
    /// What the mailbox held at the start of this turn reached so far.
    private var settled: (visible: Timetoken, durable: Timetoken) = (.zero, .zero)
    private var drainDeadline: UInt64?
    /// When the oldest commit was made whose events have not left, as ``Write/asked``.
    private var oldestNews: UInt64?
    /// Of writes whose events leave with this turn.
    private var traces: [Trace] = []
    /// What other threads say.
    private let mailbox: Mailbox<ReactorMessage>
    private var messages: [ReactorMessage] = []
    private let log: Log?

    init(
        engine: any Engine, settings: ReactorSettings = ReactorSettings(),
        recentBytesMax: Int = Limits.recentBytesMax,
        segmentedRepairs: SegmentedRepairs = SegmentedRepairs(),
        mailbox: Mailbox<ReactorMessage>,
        accounts: Accounts = Accounts(), counters: Counters, log: Log? = nil,
        routes: HTTPRoutes = HTTPRoutes(), files: FileService? = nil
    ) {
        hub = Hub(
            engine: engine,
            settings: HubSettings(
                sendQueueBytesMax: settings.sendQueueBytesMax, recentBytesMax: recentBytesMax,
                polledPagesBytesMax: Limits.cacheBytes(
                    Limits.polledPagesBytesMax, within: accounts.pressure.max),
                window: settings.window(of:), segmentedRepairs: segmentedRepairs,
                rules: settings.rules(of:)),
            counters: counters)
        self.mailbox = mailbox
        self.log = log
        tenants = Tenants(
            settings.keysets, revocations: engine.revocations, keyGrants: engine.keyGrants,
            accounts: accounts,
            audit: Audit(counters: counters, log: log) { [hub] connection in
                Audit.Peer(
                    connection: "\(hub.engine.reactor)-\(connection)",
                    address: hub.outlet.peer(of: connection))
            })
        native = NativeDoor(
            hub: hub, tenants: tenants, counters: counters,
            commandsPerSecondMax: settings.commandsPerSecondMax, log: log)
        http = HTTPDoor(
            hub: hub, tenants: tenants, routes: routes, files: files, counters: counters,
            requestsPerSecondMax: settings.commandsPerSecondMax, log: log)
    }

    // MARK: Turns

    /// When something is to be done though nothing happens, in milliseconds; `nil`: never.
    var nextDue: UInt64? { [hub.nextDue, native.nextDue, http.nextDue].compactMap(\.self).min() }

    /// Connects it to the transport, which cannot exist before its delegate.
    func attach(_ transport: any Transport, at milliseconds: UInt64) {
        hub.outlet.attach(transport)
        begin(at: milliseconds)
    }

    /// One turn: what the sockets brought, what other threads said, then one flush.
    ///
    /// - Parameters:
    ///   - milliseconds: On a clock that never steps back.
    ///   - isHeld: Asked once all was read: whether it leaves with a later turn.
    /// - Returns: Whether events left; `nil` when it was held.
    @discardableResult
    func turn(at milliseconds: UInt64, isHeld: @autoclosure () -> Bool = false) -> Bool? {
        begin(at: milliseconds)
        hub.outlet.transport?.readOn()
        mailbox.drain(into: &messages)
        for message in messages {
            switch message {
            case .adopt(let handed):
                if let socket = handed.take() { hub.outlet.transport?.adopt(socket) }
            case .commit(let commit):
                hub.accept(commit)
                if commit.made > 0, !commit.events.isEmpty {
                    oldestNews = oldestNews ?? commit.made
                    traces += commit.traces
                }
                // Before it is answered: who was told that a token is taken back finds it so.
                if commit.takesBack {
                    native.tokensRevoked()
                    http.tokensRevoked()
                }
                for answer in commit.answers { finish(answer.origin, answer.result) }
            case .read(let answer): receive(answer)
            case .presence(let answer):
                if let session = hub.sessions[answer.origin.session] {
                    native.finish(answer, of: session)
                } else {
                    http.finish(answer)
                }
            case .look(let question):
                question.tell(ConnectionWalk(hub: hub, http: http, log: log).look(question))
            case .countFollowers(let channels, let told):
                told(channels.map { hub.topics.existing($0)?.followerCount ?? 0 })
            case .answered(let origin, let response): http.finish(origin, with: response)
            case .file(let answer): http.finish(answer)
            case .settings(let settings, let applied):
                apply(settings)
                applied()
            case .heartbeat(let heartbeat): heartbeat.beat()
            case .drain(let deadline): drain(until: deadline)
            }
        }
        // Before anything is sent: the ledger works while the sockets are written to.
        hub.engine.commitSoon()
        guard !isHeld() else { return nil }
        hub.settle(visible: settled.visible, durable: settled.durable)
        if now >= lastTick + 1000 { tick() }
        if drainDeadline != nil { native.closeIdleSessions() }
        let hadNews = hub.delivery.hasNews
        hub.endTurn()
        #if DEBUG
        if lastTick == now, hub.isSmall { hub.checkInvariants() }
        #endif
        return hadNews
    }

    /// When the oldest commit was made whose events have left with the last turn, once.
    func takeOldestNews() -> UInt64? { oldestNews.take() }

    /// Tells the traces of writes whose events have left with the last turn.
    func tellTraces(at moment: UInt64) {
        for trace in traces { trace.left(reactor: hub.engine.reactor, at: moment) }
        traces = []
    }

    private func begin(at milliseconds: UInt64) {
        now = milliseconds
        tenants.accounts.pressure.look(at: milliseconds)
        // Before the mailbox is emptied: then all up to here was heard.
        settled = hub.engine.settled
        hub.beginTurn(at: milliseconds)
        native.beginTurn(at: milliseconds)
        http.beginTurn(at: milliseconds)
    }

    /// Whether a drain was asked for and has nothing left to do.
    var isDrained: Bool {
        guard let drainDeadline else { return false }
        return (hub.sessions.isEmpty && http.isIdle && !hub.outlet.hasUnsentResponses)
            || now >= drainDeadline
    }

    /// Stops taking commands and closes each session as soon as its last command is answered.
    func drain(until deadline: UInt64) {
        drainDeadline = deadline
        native.drain()
        http.drain()
        hub.refuseQuestions()
        hub.polls.endAll()
    }

    /// Takes new settings; a session whose tenant is gone, or guarded now, is closed.
    private func apply(_ settings: ReactorSettings) {
        hub.outlet.transport?.settings = settings.transport
        let before = tenants.keysets
        let changed = tenants.replace(with: settings.keysets)
        hub.apply(
            sendQueueBytesMax: settings.sendQueueBytesMax, window: settings.window(of:),
            rules: settings.rules(of:))
        http.settingsChanged(
            requestsPerSecondMax: settings.commandsPerSecondMax, changed: changed)
        native.settingsChanged(
            commandsPerSecondMax: settings.commandsPerSecondMax, before: before, changed: changed)
    }

    private func tick() {
        lastTick = now
        if tenants.accounts.pressure.level == .queues { hub.shed() }
        hub.tick()
        native.tick()
        http.tick()
    }

    // MARK: Messages from other threads

    func receive(_ answer: ReadAnswer) {
        switch answer.asker {
        case .client(let origin): receive(answer, for: origin)
        case .poll(let origin):
            // Closed or answered meanwhile: nobody waits.
            guard let poll = hub.polls.poll(waitingFor: origin) else { return }
            if case .backlog(let events, let through) = answer.result {
                hub.polls.received(events, through: through, for: poll)
            } else if case .damaged? = answer.failure {
                // An empty answer would be asked for again at once, and for ever.
                hub.polls.giveUp(poll)
                http.finish(origin, .failure(.storeDamaged))
            } else {
                hub.polls.failedToRead(for: poll)
            }
        case .page(let page, _):
            if case .changes(let found) = answer.result {
                hub.catchUp.received(found, for: page)
            } else {
                hub.catchUp.failedToRead(page)
            }
        case .selection(let number, _):
            if case .channels(let channels) = answer.result {
                hub.selections.received(channels, for: number)
            } else {
                hub.selections.searches.failedToRead(number)
            }
        case .summaries(let number, _):
            if case .reply(.success(.summaries(let page))) = answer.result {
                hub.summaries.received(page, for: number)
            } else {
                hub.summaries.failedToRead(number)
            }
        case .state:
            if case .state(let state, let position) = answer.result {
                hub.states.learn(state, at: position, of: answer.channel)
            } else {
                hub.states.failedToLearn(of: answer.channel)
            }
        }
    }

    private func receive(_ answer: ReadAnswer, for origin: Origin) {
        let session = hub.sessions[origin.session]
        switch answer.result {
        case .reply(let result):
            guard let session else { return http.finish(origin, result) }
            native.answer(result, to: origin.command, of: session)
        case .encoded(let reply):
            guard let session else { return }
            native.answer(reply, to: origin.command, of: session)
        case .live(let found):
            guard let session else { return }
            let page = hub.live.received(
                found.page, for: found.id, to: origin.command, of: session)
            native.answer(page.map(Reply.actions), to: origin.command, of: session)
        case .repair(let outcome):
            guard let session else { return }
            native.answer(hub.finishRepair(outcome, for: answer), to: origin.command, of: session)
        case .changes, .state, .backlog, .channels, .failed, .tooOld:
            preconditionFailure("A client was answered what it cannot ask.")
        }
    }

    private func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        guard let session = hub.sessions[origin.session] else {
            return http.finish(origin, result)
        }
        native.finish(result, to: origin.command, of: session)
    }
}
