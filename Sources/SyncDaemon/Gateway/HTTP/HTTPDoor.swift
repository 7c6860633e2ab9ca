// HTTP on one reactor: requests in, and those of them that wait for an answer.

import EventModel

/// Where requests come in and their answers leave, whatever their dialect.
///
/// Confined to its reactor's thread.
final class HTTPDoor: RequestDelegate, PollReceiver {
    /// Requests that wait for the ledger, a reader, presence or an event; one per connection.
    private(set) var waiting: [SessionID: any HTTPCall] = [:]
    /// Requests that wait for their turn, because they are long: one per connection.
    private var turnstile = Turnstile<HTTPAsking>()
    private var answers = LongAnswers()
    /// Those whose cursors another daemon gave that is ahead.
    private var early = EarlyWork<any HTTPCall>()
    /// When something was last sent to those whose answer has no end, in milliseconds.
    private(set) var streams: [SessionID: UInt64] = [:]
    var clients: HTTPClients
    private(set) var now: UInt64 = 0
    var lastCommand: CommandID = 0
    /// Whether every call is refused: the daemon is stopping.
    private(set) var isDraining = false
    private let routes: HTTPRoutes
    private let files: FileService?
    let hub: Hub
    let tenants: Tenants
    private let counters: Counters
    private let log: Log?

    init(
        hub: Hub, tenants: Tenants, routes: HTTPRoutes, files: FileService? = nil,
        counters: Counters,
        requestsPerSecondMax: Int = Limits.commandsPerSecondMax, log: Log? = nil
    ) {
        clients = HTTPClients(ratePerSecond: requestsPerSecondMax)
        self.hub = hub
        self.tenants = tenants
        self.routes = routes
        self.files = files
        self.counters = counters
        self.log = log
        hub.polls.receiver = self
    }

    /// Whether no request has to be answered before the daemon may stop; streams have no end.
    var isIdle: Bool { waiting.count == streams.count && turnstile.isEmpty }

    /// When requests or answers that wait have their turn, in milliseconds; `nil` when none wait.
    var nextDue: UInt64? {
        let dues = [turnstile.nextDue, answers.isEmpty ? nil : now, early.nextDue(after: now)]
        return dues.compactMap(\.self).min()
    }

    /// Refuses calls from now on.
    func drain() {
        isDraining = true
        for (connection, call) in waiting where call.endsWithDrain {
            forgetRequest(of: connection)
            let response = call.refusal(.draining).closing
            respond(clients.telling(response, of: connection), to: connection)
        }
    }

    // MARK: In

    func beginTurn(at milliseconds: UInt64) {
        now = milliseconds
        turnstile.beginTurn(at: milliseconds)
        answers.beginTurn()
        while let (origin, found) = answers.next() { answer(origin, found) }
        while let (connection, asking) = turnstile.next() {
            answer(asking, to: connection)
            // The transport was told that the answer comes soon.
            if hub.polls.isOpen(on: connection) { hub.outlet.mayTakeLong(connection) }
        }
        for ready in early.take(
            at: hub.engine.newest, mark: hub.engine.caughtUp, milliseconds)
        {
            for call in ready.works {
                if ready.end == .behind {
                    answer(ready.client, with: call.refusal(.behind))
                } else {
                    carryOut(call, for: ready.client)
                }
            }
            if hub.polls.isOpen(on: ready.client) { hub.outlet.mayTakeLong(ready.client) }
        }
    }

    /// Takes a request.
    ///
    /// - Returns: Whether it waits for an event, which may take minutes.
    @discardableResult
    func connection(_ connection: SessionID, didRequest request: HTTPRequest) -> Bool {
        counters.requests.add()
        lastCommand += 1
        let asking = HTTPAsking(
            request: request,
            origin: Origin(
                reactor: hub.engine.reactor, session: connection, command: lastCommand),
            hub: hub, tenants: tenants, files: files)
        let cost = request.turnCost
        if !admits(request, of: connection) {
            let response =
                API.refusal(.rateLimited, of: request)
                ?? PubNubError.tooManyRequests(.gateway).response
            respond(clients.telling(response, of: connection), to: connection)
        } else if turnstile.admits(cost: cost, of: connection) {
            answer(asking, to: connection)
        } else if !turnstile.wait(asking, cost: cost, of: connection) {
            let response =
                API.refusal(.overloaded, of: request)
                ?? PubNubError.serviceUnavailable(.gateway).response
            respond(clients.telling(response, of: connection), to: connection)
        }
        return hub.polls.isOpen(on: connection)
    }

    /// Whether a connection asks no more often than it may, by what its requests cost.
    private func admits(_ request: HTTPRequest, of connection: SessionID) -> Bool {
        // Operators look when there is much going on.
        !request.entrance.isForClients || clients.admits(request.cost, of: connection, at: now)
    }

    private func answer(_ asking: HTTPAsking, to connection: SessionID) {
        // Clients have nothing to ask where operators do.
        let dialect = asking.request.entrance.isForClients ? PubNubDialect.answer(asking) : nil
        switch dialect ?? routes.answer(asking) {
        case .now(let response):
            respond(clients.telling(response, of: connection), to: connection)
        case .refused(let response):
            clients.release(connection)
            respond(clients.telling(response, of: connection), to: connection)
        case .call(let call): start(call, for: connection)
        }
    }

    private func start(_ call: any HTTPCall, for connection: SessionID) {
        guard !isDraining else {
            let response = clients.telling(call.refusal(.draining).closing, of: connection)
            return respond(response, to: connection)
        }
        if let refusal = refusal(of: call) ?? refusal(of: call, for: connection) {
            return respond(clients.telling(refusal, of: connection), to: connection)
        }
        // Before it is carried out: an answer may come at once.
        waiting[connection] = call
        lastCommand += Int64(call.commandCount) - 1
        if let shown = call.cursorShown, hub.engine.isAhead(shown.timetoken, of: shown.epoch),
            early.wait(
                call, for: shown.timetoken, mark: hub.engine.catchUp(), of: connection, at: now)
        {
            return
        }
        if call.isList { finish(call.origin, .list) } else { carryOut(call, for: connection) }
    }

    private func carryOut(_ call: any HTTPCall, for connection: SessionID) {
        if let response = call.start() { answer(connection, with: response) }
    }

    /// - Parameter response: Of the call that waits there, or a part of it.
    func answer(_ connection: SessionID, with response: HTTPResponse) {
        streams[connection] = response.goesOn ? now : nil
        if !response.goesOn { waiting[connection] = nil }
        respond(clients.telling(response, of: connection), to: connection)
    }

    func refusal(of call: any HTTPCall) -> HTTPResponse? {
        guard call.hasTenant else { return nil }
        do throws(ProtocolError) {
            _ = try tenants.tenant(of: call.author)
            return nil
        } catch {
            return call.refusal(error)
        }
    }

    /// Why a call is refused for how much its tenant has, or has asked for.
    private func refusal(of call: any HTTPCall, for connection: SessionID) -> HTTPResponse? {
        do throws(ProtocolError) {
            try clients.count(call, of: connection, in: tenants, at: now)
            return nil
        } catch {
            return call.refusal(error)
        }
    }

    /// Hears that a connection is gone, or a WebSocket now: nobody waits for its answer any more.
    func connectionDidClose(_ connection: SessionID) {
        clients.forget(connection)
        forgetRequest(of: connection)
    }

    func forgetRequest(of connection: SessionID) {
        turnstile.forget(connection)
        early.forget(connection)
        streams[connection] = nil
        let call = waiting.removeValue(forKey: connection)
        call?.demand.end()
        (call as? any HTTPFileCall)?.abandon()
        hub.polls.forget(connection)
    }

    func didRefuse(
        _ refusal: PagePolicy.Refusal, to asker: Provenance, from connection: SessionID
    ) {
        tenants.audit.refused(refusal, to: asker, from: connection)
    }

    // MARK: Out

    /// Takes the ledger's or a reader's answer.
    ///
    /// A turn makes only so much of them: each may be megabytes of text.
    func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        switch result {
        case .success(let reply):
            // Also when nobody waits any more.
            if case .fileRemoved(let id?) = reply, let id = FileID(id) {
                files?.remove(id, for: origin)
            }
            finish(origin, .reply(reply))
        case .failure(let error): refuse(origin, error)
        }
    }

    /// Takes the answer that another thread made of a call.
    func finish(_ origin: Origin, with response: HTTPResponse) {
        guard call(for: origin) != nil else { return }
        answer(origin.session, with: response)
    }

    /// What a connection waits for, if it does.
    func call(on connection: SessionID) -> (any HTTPCall)? { waiting[connection] }

    /// Takes presence's answer, likewise.
    func finish(_ answer: PresenceAnswer) { finish(answer.origin, .presence(answer.reply)) }

    private func finish(_ origin: Origin, _ found: LongAnswers.Answer) {
        if answers.admits(found) { return answer(origin, found) }
        let memoryMax = tenants.accounts.pressure.max
        if !answers.wait(found, for: origin, within: memoryMax) { refuse(origin, .overloaded) }
    }

    private func answer(_ origin: Origin, _ found: LongAnswers.Answer) {
        guard let call = call(for: origin) else { return }
        switch found {
        case .list: carryOut(call, for: origin.session)
        case .reply(let reply): answer(call, with: .reply(reply), of: origin)
        case .presence(let reply): answer(call, with: .presence(reply), of: origin)
        }
    }

    private func refuse(_ origin: Origin, _ error: ProtocolError) {
        guard let call = call(for: origin) else { return }
        answer(call, with: .refused(error), of: origin)
    }

    private func answer(_ call: any HTTPCall, with found: HTTPFound, of origin: Origin) {
        guard let response = call.response(to: found, of: origin.command) else { return }
        answer(origin.session, with: response)
    }

    func answer(_ poll: PollRequest, with events: [PolledEvent], cursor: Timetoken) {
        guard let call = waiting[poll.session] else { return }
        var response = call.response(to: events, cursor: cursor)
        if isDraining, response.goesOn { response.part = .last }
        answer(poll.session, with: response)
    }

    /// What to say of a request that is not read to its end.
    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        API.response(to: refusal)
            ?? PubNubDialect.response(
                to: refusal, at: Timetoken(rawValue: hub.engine.wallTicks()))
    }

    func respond(_ response: HTTPResponse, to connection: SessionID) {
        if response.status >= 400 {
            counters.errors.add("http_\(response.status)")
            log?.debug(
                "Request refused.",
                ["connection": "\(hub.engine.reactor)-\(connection)", "status": response.status])
        }
        hub.outlet.respond(response, to: connection)
    }

    /// The call that an answer is for, unless it was answered or its connection is gone.
    func call(for origin: Origin) -> (any HTTPCall)? {
        waiting[origin.session].flatMap { $0.awaits(origin.command) ? $0 : nil }
    }
}
