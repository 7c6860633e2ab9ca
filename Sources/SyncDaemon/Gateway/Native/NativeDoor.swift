// The daemon's own protocol on one reactor: messages of sessions in, replies out.

import Basis
import EventModel
import JSON

/// Where commands of sessions come in and their answers leave.
///
/// Confined to its reactor's thread.
final class NativeDoor: SessionDelegate {
    let hub: Hub
    let tenants: Tenants
    private let counters: Counters
    private var commandsPerSecondMax: Int
    private let log: Log?
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private(set) var now: UInt64 = 0
    /// Whether every command is refused: the daemon is stopping.
    private var isDraining = false
    /// Commands that wait for their turn, because they name many channels.
    var turnstile = Turnstile<(command: Command, id: CommandID)>()
    /// Those with cursors that another daemon gave that is ahead, and what came behind them.
    var early = EarlyWork<(command: Command, id: CommandID)>()
    /// Who has not heard yet what reactions there are from now on.
    private var rulesNews = RulesNews()
    /// Who has not said `hello` yet, oldest first.
    private var awaitingHello = Queue<(deadline: UInt64, session: SessionID)>()

    init(
        hub: Hub, tenants: Tenants, counters: Counters, commandsPerSecondMax: Int, log: Log? = nil
    ) {
        self.hub = hub
        self.tenants = tenants
        self.counters = counters
        self.commandsPerSecondMax = commandsPerSecondMax
        self.log = log
    }

    // MARK: Turns

    func beginTurn(at milliseconds: UInt64) {
        now = milliseconds
        turnstile.beginTurn(at: milliseconds)
        if !rulesNews.isEmpty {
            rulesNews.tell(
                hub, tenants.keysets, subscriptionsMax: Limits.dearNamesPerTurnMax)
        }
        while let (id, work) = turnstile.next() {
            guard let session = hub.sessions[id], !session.isClosing else { continue }
            session.commandsInFlight -= 1
            do throws(ProtocolError) {
                try handle(work.command, work.id, of: session)
            } catch {
                reply(.refused(error), to: work.id, of: session)
            }
        }
        for ready in early.take(
            at: hub.engine.newest, mark: hub.engine.caughtUp, milliseconds)
        {
            goOn(ready)
        }
    }

    /// When commands that wait may be carried out, in milliseconds; `nil` when none wait.
    var nextDue: UInt64? {
        let dues = [turnstile.nextDue, rulesNews.isEmpty ? nil : now, early.nextDue(after: now)]
        return dues.compactMap(\.self).min()
    }

    /// Closes connections that did not say who they are, and those whose token is worth nothing any
    /// more; called about once a second.
    func tick() {
        if tenants.areGuarded { closeLapsed() }
        while let (_, id) = awaitingHello.popFirst(where: { $0.deadline <= now }) {
            guard let session = hub.sessions[id], session.author == nil else { continue }
            hub.outlet.close(session, .lateHello)
        }
    }

    /// Refuses commands from now on.
    func drain() { isDraining = true }

    /// Closes the sessions that wait for no answer: the daemon is stopping.
    func closeIdleSessions() {
        for session in hub.sessions.values where session.commandsInFlight == 0 {
            hub.outlet.close(session, .stopping)
        }
    }

    /// Takes a new rate, closes the sessions of a tenant that is gone, and tells the others what
    /// reactions there are.
    ///
    /// - Parameters:
    ///   - before: What held until now.
    ///   - changed: Tenants whose tokens are checked otherwise now.
    func settingsChanged(
        commandsPerSecondMax: Int, before: Keysets, changed: Set<String>
    ) {
        self.commandsPerSecondMax = commandsPerSecondMax
        if before != tenants.keysets { rulesNews.begin(hub.sessions.keys, before: before) }
        for session in hub.sessions.values {
            session.bucket.setRate(Double(commandsPerSecondMax))
            guard let author = session.author else { continue }
            if tenants.keysets.tenant(author.keyset) == nil {
                hub.outlet.close(session, .keysetGone)
            } else if changed.contains(author.keyset) {
                checkAgain(session, of: author)
            }
        }
    }

    // MARK: In

    /// - Parameter query: Of the URL: it may say `hello`.
    func sessionDidOpen(_ id: SessionID, query: [String: String]) {
        let session = Session(
            id: id, bucket: TokenBucket(ratePerSecond: commandsPerSecondMax, at: now))
        hub.open(session)
        switch CommandDecoder.hello(query: query) {
        case .success(let hello)?: reply(greet(hello, session), to: 0, of: session)
        case .failure(let error)?: reply(.refused(error), to: 0, of: session)
        case nil: break
        }
        guard session.author == nil else { return }
        awaitingHello.append((now + UInt64(Limits.helloSeconds) * 1000, id))
    }

    /// Carries out the command of one message.
    func session(_ id: SessionID, didReceive message: RawSpan) {
        guard let session = hub.sessions[id], !session.isClosing else { return }
        counters.commands.add()
        let decoded = CommandDecoder.decode(message)
        do throws(ProtocolError) {
            let (command, id) = try admit(decoded, to: session)
            if case .hello(let hello) = command {
                return reply(greet(hello, session), to: id, of: session)
            }
            if try isEarly(command, id, of: session) { return }
            guard turnstile.admits(cost: turnCost(of: command, by: session), of: session.id)
            else {
                return try wait(with: command, id, of: session)
            }
            try handle(command, id, of: session)
        } catch {
            reply(.refused(error), to: decoded.id, of: session)
        }
    }

    func handle(
        _ command: Command, _ id: CommandID, of session: Session
    ) throws(ProtocolError) {
        guard command.showsToken || !closesAsLapsed(session) else { return }
        let caller = try caller(of: command, id, session)
        reply(CommandRouter.handle(command, for: caller, tenants: tenants), to: id, of: session)
        if command.showsToken { endWhatIsNotAllowed(of: caller) }
    }

    func wait(
        with command: Command, _ id: CommandID, of session: Session
    ) throws(ProtocolError) {
        guard session.commandsInFlight < Limits.commandsInFlightMax else {
            throw .tooManyInFlight
        }
        let cost = turnCost(of: command, by: session)
        guard turnstile.wait((command, id), cost: cost, of: session.id) else {
            throw .rateLimited
        }
        session.commandsInFlight += 1
    }

    /// Who has a command carried out, once nothing that it needs is missing.
    private func caller(
        of command: Command, _ id: CommandID, _ session: Session
    ) throws(ProtocolError) -> SessionCaller {
        guard let author = session.author else { throw .helloFirst }
        guard session.commandsInFlight < Limits.commandsInFlightMax else {
            throw .tooManyInFlight
        }
        if case .subscribe(let requests) = command { noteReturn(requests, of: session) }
        let caller = SessionCaller(
            id: id, session: session, author: author, hub: hub, tenants: tenants)
        // One that shows a token is not asked for the one before, which may just be over.
        if !command.showsToken,
            let error = caller.refusal(
                of: command.need(at: hub.engine.wallTime), isFollowing: command.isFollowing)
        {
            throw error
        }
        return caller
    }

    /// What the session may have carried out now, by its rate and while the daemon goes on.
    private func admit(
        _ decoded: DecodedCommand, to session: Session
    ) throws(ProtocolError) -> (Command, CommandID) {
        guard session.bucket.take(at: now) else { throw .rateLimited }
        let command = try decoded.command.get()
        let cost = max(command.cost, Command.cost(ofNames: nameCount(of: command, by: session)))
        // At once, or what costs more than there ever is would never find all of it there.
        session.bucket.putBack()
        guard session.bucket.take(cost, at: now),
            session.account?.admits(commands: cost, at: now) ?? true
        else { throw .rateLimited }
        guard let id = decoded.id else { throw .notAnObject }
        guard !isDraining else { throw .draining }
        return (command, id)
    }

    /// What a command costs of a turn, in channels that it follows.
    func turnCost(of command: Command, by session: Session) -> Int {
        let count = nameCount(of: command, by: session)
        if case .changeGroup = command { return count * Limits.namesPerGroupedChannel }
        return count
    }

    /// Channels that a command begins or ends to follow, those of a selection among them, or that
    /// it puts into a group or takes out.
    private func nameCount(of command: Command, by session: Session) -> Int {
        switch command {
        case .follow(let request):
            session.selectedCount(of: request.selection)
                + hub.selections.channelCount(of: request, for: session)
        case .unfollow(let selection): session.selectedCount(of: selection)
        case .changeGroup(let request):
            hub.engine.groups.channelCount(of: request, in: session.author?.keyset ?? "")
        default: command.nameCount
        }
    }

    func sessionCanWrite(_ id: SessionID) {
        guard let session = hub.sessions[id] else { return }
        hub.outlet.canWrite(session)
    }

    func sessionDidClose(_ id: SessionID) {
        turnstile.forget(id)
        early.forget(id)
        hub.forget(id)
    }

    private func greet(_ hello: Hello, _ session: Session) -> OperationOutcome {
        guard !isDraining else { return .refused(.draining) }
        let outcome = Operations.hello(
            hello, session: session, engine: hub.engine, tenants: tenants)
        if case .done = outcome, let author = session.author {
            log?.debug(
                "Session began.",
                [
                    "connection": name(of: session), "user": author.userID,
                    "device": author.deviceID, "keyset": author.keyset,
                ])
        }
        return outcome
    }

    private func noteReturn(_ requests: [SubscribeRequest], of session: Session) {
        let returns = requests.count { $0.cursor != nil }
        guard returns > 0 else { return }
        log?.debug(
            "A device came back.", ["connection": name(of: session), "channels": returns])
    }

    // MARK: Out

    /// Takes the ledger's answer to a session's command.
    func finish(_ result: Result<Reply, ProtocolError>, to id: CommandID, of session: Session) {
        session.commandsInFlight -= 1
        hub.outlet.send(session) { json in encode(result, to: id, of: session, into: &json) }
    }

    /// Takes a reader's answer, for which the session kept room.
    func answer(_ result: Result<Reply, ProtocolError>, to id: CommandID, of session: Session) {
        session.commandsInFlight -= 1
        hub.catchUp.answer(session) { json in encode(result, to: id, of: session, into: &json) }
    }

    func answer(_ reply: EncodedReply, to id: CommandID, of session: Session) {
        session.commandsInFlight -= 1
        hub.catchUp.answer(session) { json in
            ReplyEncoder.encode(reply, to: id, into: &json)
        }
    }

    func reply(_ outcome: OperationOutcome, to id: CommandID?, of session: Session) {
        let result: Result<Reply, ProtocolError>
        switch outcome {
        case .done(let reply): result = .success(reply)
        case .refused(let error): result = .failure(error)
        case .later:
            session.commandsInFlight += 1
            return
        }
        hub.outlet.send(session) { json in encode(result, to: id, of: session, into: &json) }
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
            counters.errors.add(error.code)
            log?.debug(
                "Command refused.",
                ["connection": name(of: session), "code": error.code, "status": error.status])
            ReplyEncoder.encode(error, to: id, into: &json)
        }
    }

    /// A session as `hello` names it, too.
    private func name(of session: Session) -> String { "\(hub.engine.reactor)-\(session.id)" }
}

extension Command {
    fileprivate var showsToken: Bool { if case .token = self { true } else { false } }

    /// Whether it begins or goes on to follow channels.
    fileprivate var isFollowing: Bool {
        switch self {
        case .subscribe, .repair: true
        default: false
        }
    }

    /// Commands that it counts as, for the rate limit.
    var cost: Int {
        switch self {
        case .token: Limits.tokenCommandCost
        // A value is in every index that its action is in.
        case .addAction(let request): Self.cost(ofValue: request.value)
        case .editMessage(let request): Self.cost(ofValue: request.payload)
        case .older(let query): max(1, query.last / Limits.messagesPerCommandCost)
        case .summaries(let query):
            max(1, query.messages.count / Limits.summariesPerCommandCost)
        case .actions(let query): Self.cost(ofNames: query.values.count + query.userIDs.count)
        // It is held against every entry.
        case .directory(let query): Self.cost(ofValue: query.filter ?? "")
        default: Self.cost(ofNames: nameCount)
        }
    }

    private static func cost(ofValue value: String) -> Int {
        max(1, value.utf8.count / Limits.valueBytesPerCommandCost)
    }

    fileprivate static func cost(ofNames count: Int) -> Int {
        max(1, count / Limits.channelsPerCommandCost)
    }

    /// Channels that it begins or ends to follow, those of presence too; what lists many users or
    /// channels counts as some.
    var nameCount: Int {
        switch self {
        case .subscribe(let requests): requests.count + requests.count(where: \.isPresent)
        case .unsubscribe(let names), .unread(let names): names.count
        case .hereNow(let query): query.limit / Limits.usersPerName
        case .whereNow: Limits.whereNowNames
        default: 0
        }
    }
}
