// The deciding half of a reactor: socket events and messages in, calls on hub and engine out.
//
// It knows no thread, no socket and no clock: the reactor, or a test, passes the time in and says
// when a turn ends.

import EventModel

/// All sessions of one reactor.
final class ReactorCore: TransportDelegate {
    let hub: Hub
    private let native: NativeDoor
    private let http: HTTPDoor
    private let tenants: Tenants
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private var now: UInt64 = 0
    private var lastTick: UInt64 = 0
    /// What the mailbox held at the start of this turn reached so far.
    private var settled: (visible: Timetoken, durable: Timetoken) = (.zero, .zero)
    private var drainDeadline: UInt64?

    init(
        hub: Hub, keysets: Keysets = Keysets(), counters: Counters, commandsPerSecondMax: Int,
        log: Log? = nil, routes: HTTPRoutes = HTTPRoutes()
    ) {
        self.hub = hub
        tenants = Tenants(keysets)
        native = NativeDoor(
            hub: hub, tenants: tenants, counters: counters,
            commandsPerSecondMax: commandsPerSecondMax, log: log)
        http = HTTPDoor(
            hub: hub, tenants: tenants, routes: routes, counters: counters, log: log)
    }

    // MARK: Turns

    func beginTurn(at milliseconds: UInt64) {
        now = milliseconds
        settled = hub.engine.settled
        hub.beginTurn(at: milliseconds)
        native.beginTurn(at: milliseconds)
    }

    /// Everything that came in this turn was heard.
    func endReading() {
        // Before anything is sent: the ledger works while the sockets are written to.
        hub.engine.commitSoon()
    }

    func endTurn() {
        hub.settle(visible: settled.visible, durable: settled.durable)
        if now >= lastTick + 1000 { tick() }
        if drainDeadline != nil { native.closeIdleSessions() }
        hub.endTurn()
        #if DEBUG
        if lastTick == now, hub.isSmall { hub.checkInvariants() }
        #endif
    }

    /// Whether a drain was asked for and has nothing left to do.
    var isDrained: Bool {
        guard let drainDeadline else { return false }
        return (hub.sessions.isEmpty && http.isIdle && !hub.hasUnsentResponses)
            || now >= drainDeadline
    }

    /// Stops taking commands and closes each session as soon as its last command is answered.
    func drain(until deadline: UInt64) {
        drainDeadline = deadline
        native.drain()
        http.drain()
        hub.refuseQuestions()
        hub.endPolls()
    }

    /// Takes new settings; a session whose tenant is gone, or guarded now, is closed.
    func apply(_ settings: ReactorSettings) {
        tenants.keysets = settings.keysets
        hub.apply(
            sendQueueBytesMax: settings.sendQueueBytesMax, window: settings.window(ofKeyset:))
        http.tenantsChanged()
        native.apply(commandsPerSecondMax: settings.commandsPerSecondMax)
    }

    private func tick() {
        lastTick = now
        hub.tick()
        native.tick()
    }

    // MARK: Messages from other threads

    func receive(_ commit: Commit) {
        hub.accept(commit)
        hub.groupsChanged(commit.groups.map(\.group))
        for answer in commit.answers { finish(answer.origin, answer.result) }
    }

    func receive(_ answer: PresenceAnswer) {
        http.finish(answer)
    }

    func receive(_ answer: ReadAnswer) {
        switch answer.asker {
        case .client(let origin): receive(answer, for: origin)
        case .poll(let origin):
            // Closed or answered meanwhile: nobody waits.
            guard let poll = hub.poll(waitingFor: origin) else { return }
            if case .backlog(let events, let through) = answer.result {
                hub.received(events, through: through, for: poll)
            } else if case .damaged? = answer.failure {
                // An empty answer would be asked for again at once, and for ever.
                hub.giveUp(poll)
                http.finish(origin, .failure(.storeDamaged))
            } else {
                hub.failedToReadForPoll(poll)
            }
        case .page(let page, _):
            if case .changes(let found) = answer.result {
                hub.received(found, for: page)
            } else {
                hub.failedToRead(page)
            }
        case .state:
            if case .state(let state, let position) = answer.result {
                hub.learn(state, at: position, of: answer.channel)
            } else {
                hub.failedToLearn(of: answer.channel)
            }
        }
    }

    private func receive(_ answer: ReadAnswer, for origin: Origin) {
        let session = hub.sessions[origin.session]
        switch answer.result {
        case .reply(let result):
            guard let session else { return http.finish(origin, result) }
            native.answer(result, to: origin.command, of: session)
        case .repair(let outcome):
            guard let session else { return }
            native.answer(hub.finishRepair(outcome, for: answer), to: origin.command, of: session)
        case .changes, .state, .backlog, .failed, .tooOld:
            preconditionFailure("A client was answered what it cannot ask.")
        }
    }

    private func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        guard let session = hub.sessions[origin.session] else {
            return http.finish(origin, result)
        }
        native.finish(result, to: origin.command, of: session)
    }

    // MARK: TransportDelegate

    func sessionDidOpen(_ id: SessionID, query: [String: String]) {
        native.open(id, query: query)
    }

    func session(_ id: SessionID, didReceive message: RawSpan) {
        native.receive(message, from: id)
    }

    func sessionCanWrite(_ id: SessionID) {
        guard let session = hub.sessions[id] else { return }
        hub.canWrite(session)
    }

    func sessionDidClose(_ id: SessionID) {
        hub.forget(id)
    }

    @discardableResult
    func connection(_ id: SessionID, didRequest request: HTTPRequest) -> Bool {
        http.receive(request, from: id)
    }

    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        http.response(to: refusal)
    }

    func connectionDidClose(_ id: SessionID) {
        http.forget(id)
    }
}
