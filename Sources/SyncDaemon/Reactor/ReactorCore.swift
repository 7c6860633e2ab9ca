// The deciding half of a reactor: socket events and messages in, calls on hub and engine out.
//
// It knows no thread, no socket and no clock: the reactor, or a test, passes the time in and says
// when a turn ends.

import Basis
import EventModel
import JSON

/// All sessions of one reactor.
final class ReactorCore: TransportDelegate {
    let hub: Hub
    private let door: PubNubDoor
    private let tenants: Tenants
    private let counters: Counters
    private var commandsPerSecondMax: Int
    private let log: Log?
    private let answerHTTP: (HTTPRequest) -> HTTPResponse
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private var now: UInt64 = 0
    private var lastTick: UInt64 = 0
    /// What the mailbox held at the start of this turn reached so far.
    private var settled: (visible: Timetoken, durable: Timetoken) = (.zero, .zero)
    /// Who has not said `hello` yet, oldest first.
    private var awaitingHello = Queue<(deadline: UInt64, session: SessionID)>()
    private var drainDeadline: UInt64?

    init(
        hub: Hub, keysets: Keysets = Keysets(), counters: Counters, commandsPerSecondMax: Int,
        log: Log? = nil,
        answerHTTP: @escaping (HTTPRequest) -> HTTPResponse
    ) {
        self.hub = hub
        tenants = Tenants(keysets)
        door = PubNubDoor(hub: hub, tenants: tenants, log: log)
        self.log = log
        self.counters = counters
        self.commandsPerSecondMax = commandsPerSecondMax
        self.answerHTTP = answerHTTP
    }

    private var engine: any Engine { hub.engine }

    // MARK: Turns

    func beginTurn(at milliseconds: UInt64) {
        now = milliseconds
        settled = engine.settled
        hub.beginTurn(at: milliseconds)
    }

    /// Everything that came in this turn was heard.
    func endReading() {
        // Before anything is sent: the ledger works while the sockets are written to.
        engine.commitSoon()
    }

    func endTurn() {
        hub.settle(visible: settled.visible, durable: settled.durable)
        if now >= lastTick + 1000 { tick() }
        if drainDeadline != nil { closeIdleSessions() }
        hub.endTurn()
        #if DEBUG
        if lastTick == now { hub.checkInvariants() }
        #endif
    }

    /// Whether a drain was asked for and has nothing left to do.
    var isDrained: Bool {
        guard let drainDeadline else { return false }
        return (hub.sessions.isEmpty && door.isIdle && !hub.hasUnsentResponses)
            || now >= drainDeadline
    }

    /// Stops taking commands and closes each session as soon as its last command is answered.
    func drain(until deadline: UInt64) {
        drainDeadline = deadline
        hub.refuseQuestions()
        hub.endPolls()
    }

    /// Takes new settings; a session whose tenant is gone, or guarded now, is closed.
    func apply(_ settings: ReactorSettings) {
        tenants.keysets = settings.keysets
        commandsPerSecondMax = settings.commandsPerSecondMax
        hub.apply(
            sendQueueBytesMax: settings.sendQueueBytesMax, window: settings.window(ofKeyset:))
        door.tenantsChanged()
        for session in hub.sessions.values {
            session.bucket.setRate(commandsPerSecondMax)
            guard let author = session.author, !settings.keysets.admits(author.keyset) else {
                continue
            }
            hub.close(session, .policyViolation, "Your subscribe key is no longer valid.")
        }
    }

    private func tick() {
        lastTick = now
        hub.tick()
        while let (_, id) = awaitingHello.popFirst(where: { $0.deadline <= now }) {
            guard let session = hub.sessions[id], session.author == nil else { continue }
            hub.close(session, .policyViolation, "Say hello within 10 seconds.")
        }
    }

    private func closeIdleSessions() {
        for session in hub.sessions.values where session.commandsInFlight == 0 {
            hub.close(session, .goingAway, "The daemon stops. Reconnect.")
        }
    }

    // MARK: Messages from other threads

    func receive(_ commit: Commit) {
        hub.accept(commit)
        hub.groupsChanged(commit.groups.map(\.group))
        for answer in commit.answers { finish(answer.origin, answer.result) }
    }

    func receive(_ answer: PresenceAnswer) {
        door.finish(answer)
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
                door.finish(origin, .failure(.storeDamaged))
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
        switch answer.result {
        case .reply(let result):
            guard let session = hub.sessions[origin.session] else {
                return door.finish(origin, result)
            }
            self.answer(result, to: origin.command, of: session)
        case .repair(let outcome):
            guard let session = hub.sessions[origin.session] else { return }
            self.answer(
                hub.finishRepair(outcome, for: answer), to: origin.command, of: session)
        case .changes, .state, .backlog, .failed, .tooOld:
            preconditionFailure("A client was answered what it cannot ask.")
        }
    }

    private func answer(
        _ result: Result<Reply, ProtocolError>, to id: CommandID, of session: Session
    ) {
        session.commandsInFlight -= 1
        hub.answer(session) { json in encode(result, to: id, of: session, into: &json) }
    }

    private func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        guard let session = hub.sessions[origin.session] else {
            return door.finish(origin, result)
        }
        session.commandsInFlight -= 1
        send(result, to: origin.command, of: session)
    }

    // MARK: TransportDelegate

    func sessionDidOpen(_ id: SessionID, query: [String: String]) {
        let session = Session(
            id: id, bucket: TokenBucket(ratePerSecond: commandsPerSecondMax, at: now))
        hub.open(session)
        if let hello = CommandDecoder.hello(query: query) {
            send(hello.flatMap { greet($0, session) }, to: 0, of: session)
        }
        guard session.author == nil else { return }
        awaitingHello.append((now + UInt64(Limits.helloSeconds) * 1000, id))
    }

    func session(_ id: SessionID, didReceive message: RawSpan) {
        guard let session = hub.sessions[id], !session.isClosing else { return }
        counters.commands.add()
        let decoded = CommandDecoder.decode(message)
        switch handle(decoded, of: session) {
        case .done(let reply): send(.success(reply), to: decoded.id, of: session)
        case .refused(let error): send(.failure(error), to: decoded.id, of: session)
        case .later: session.commandsInFlight += 1
        }
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
        counters.requests.add()
        if door.receive(request, from: id, isDraining: drainDeadline != nil) {
            return hub.polls.open[id] != nil
        }
        door.respond(answerHTTP(request), to: id)
        return false
    }

    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        door.response(to: refusal)
    }

    func connectionDidClose(_ id: SessionID) {
        door.forget(id)
    }

    // MARK: Commands

    private func handle(
        _ decoded: DecodedCommand, of session: Session
    ) -> OperationOutcome {
        guard session.bucket.take(at: now) else { return .refused(.rateLimited) }
        let command: Command
        switch decoded.command {
        case .failure(let error): return .refused(error)
        case .success(let decodedCommand): command = decodedCommand
        }
        guard session.bucket.take(command.cost - 1, at: now) else { return .refused(.rateLimited) }
        guard let id = decoded.id else { return .refused(.notAnObject) }
        guard drainDeadline == nil else { return .refused(.draining) }
        if case .hello(let hello) = command {
            switch greet(hello, session) {
            case .success(let reply): return .done(reply)
            case .failure(let error): return .refused(error)
            }
        }
        guard let author = session.author else { return .refused(.helloFirst) }
        guard session.commandsInFlight < Limits.commandsInFlightMax else {
            return .refused(.tooManyInFlight)
        }
        if case .subscribe(let requests) = command {
            let returns = requests.count { $0.cursor != nil }
            if returns > 0 {
                log?.debug(
                    "A device came back.",
                    ["connection": name(of: session), "channels": returns])
            }
        }
        return CommandRouter.handle(
            command,
            for: SessionCaller(id: id, session: session, author: author, hub: hub, tenants: tenants)
        )
    }

    private func greet(_ hello: Hello, _ session: Session) -> Result<Reply, ProtocolError> {
        guard drainDeadline == nil else { return .failure(.draining) }
        let result = Operations.hello(
            hello, session: session, engine: engine, tenants: tenants)
        if case .success = result, let author = session.author {
            log?.debug(
                "Session began.",
                [
                    "connection": name(of: session), "user": author.userID,
                    "device": author.deviceID, "keyset": author.keyset,
                ])
        }
        return result
    }

    private func send(
        _ result: Result<Reply, ProtocolError>, to id: CommandID?, of session: Session
    ) {
        hub.send(session) { json in encode(result, to: id, of: session, into: &json) }
    }

    private func encode(
        _ result: Result<Reply, ProtocolError>, to id: CommandID?, of session: Session,
        into json: inout JSONWriter
    ) {
        switch result {
        case .success(let reply):
            ReplyEncoder.encode(reply, to: id ?? 0, into: &json)
        case .failure(let error):
            counters.commandErrors.add()
            log?.debug(
                "Command refused.",
                ["connection": name(of: session), "code": error.code, "status": error.status])
            ReplyEncoder.encode(error, to: id, into: &json)
        }
    }

    /// A session as `hello` names it, too.
    private func name(of session: Session) -> String { "\(engine.reactor)-\(session.id)" }
}
