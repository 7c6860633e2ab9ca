// HTTP on one reactor: requests in, and those of them that wait for an answer.

import EventModel

/// Where requests come in and their answers leave, whatever their dialect.
///
/// Confined to its reactor's thread.
final class HTTPDoor: RequestDelegate, PollReceiver {
    /// Requests that wait for the ledger, a reader, presence or an event; one per connection.
    private var waiting: [SessionID: any HTTPCall] = [:]
    private var lastCommand: CommandID = 0
    /// Whether every call is refused: the daemon is stopping.
    private var isDraining = false
    private let routes: HTTPRoutes
    private let hub: Hub
    private let tenants: Tenants
    private let counters: Counters
    private let log: Log?

    init(
        hub: Hub, tenants: Tenants, routes: HTTPRoutes, counters: Counters, log: Log? = nil
    ) {
        self.hub = hub
        self.tenants = tenants
        self.routes = routes
        self.counters = counters
        self.log = log
        hub.polls.receiver = self
    }

    /// Whether no request has to be answered before the daemon may stop.
    var isIdle: Bool { waiting.isEmpty }

    /// Refuses calls from now on.
    func drain() { isDraining = true }

    // MARK: In

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
            hub: hub, tenants: tenants)
        // Clients have nothing to ask where operators do.
        let dialect = request.entrance == .main ? PubNubDialect.answer(asking) : nil
        switch dialect ?? routes.answer(asking) {
        case .now(let response): respond(response, to: connection)
        case .call(let call): start(call, for: connection)
        }
        return hub.polls.isOpen(on: connection)
    }

    private func start(_ call: any HTTPCall, for connection: SessionID) {
        guard !isDraining else { return respond(call.refusal(.draining).closing, to: connection) }
        if let refusal = refusal(of: call) { return respond(refusal, to: connection) }
        // Before it is carried out: an answer may come at once.
        waiting[connection] = call
        guard let response = call.start() else { return }
        waiting[connection] = nil
        respond(response, to: connection)
    }

    private func refusal(of call: any HTTPCall) -> HTTPResponse? {
        guard call.hasTenant else { return nil }
        do throws(ProtocolError) {
            _ = try tenants.admit(to: call.author.keyset)
            return nil
        } catch {
            return call.refusal(error)
        }
    }

    /// Hears that there are other tenants; polls of one that is gone are refused.
    ///
    /// Other requests are under way already, and are answered in a moment.
    ///
    /// - Parameter changed: Tenants whose tokens are checked otherwise now.
    func tenantsChanged(_ changed: Set<String>) {
        endPolls { call in
            if let refusal = refusal(of: call) { return refusal }
            guard changed.contains(call.author.keyset) else { return nil }
            do throws(ProtocolError) {
                _ = try tenants.credential(
                    ofStaying: call.author, with: call.token, as: call.credential,
                    at: hub.engine.seconds)
                return nil
            } catch {
                return call.refusal(error)
            }
        }
    }

    /// Ends the polls whose token is worth nothing any more; called about once a second.
    func tick() {
        guard tenants.areGuarded else { return }
        let seconds = hub.engine.seconds
        endPolls { call in
            call.credential.isOver(at: seconds) ? call.refusal(.tokenExpired) : nil
        }
    }

    private func endPolls(_ refusal: (any HTTPCall) -> HTTPResponse?) {
        for (connection, call) in waiting where hub.polls.isOpen(on: connection) {
            guard let refusal = refusal(call) else { continue }
            connectionDidClose(connection)
            respond(refusal, to: connection)
        }
    }

    /// Hears that a connection is gone: nobody waits for its answer any more.
    func connectionDidClose(_ connection: SessionID) {
        waiting[connection] = nil
        hub.polls.forget(connection)
    }

    // MARK: Out

    /// Takes the ledger's or a reader's answer.
    func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        guard let call = take(origin) else { return }
        switch result {
        case .success(let reply): respond(call.response(to: reply), to: origin.session)
        case .failure(let error): respond(call.refusal(error), to: origin.session)
        }
    }

    /// Takes presence's answer.
    func finish(_ answer: PresenceAnswer) {
        guard let call = take(answer.origin) else { return }
        respond(call.response(to: answer.reply), to: answer.origin.session)
    }

    func answer(_ poll: PollRequest, with events: [PolledEvent], cursor: Timetoken) {
        guard let call = waiting.removeValue(forKey: poll.session) else { return }
        respond(call.response(to: events, cursor: cursor), to: poll.session)
    }

    /// What to say of a request that is not read to its end.
    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        PubNubDialect.response(
            to: refusal, at: Timetoken(rawValue: hub.engine.wallTicks()))
    }

    private func respond(_ response: HTTPResponse, to connection: SessionID) {
        if response.status >= 400 {
            log?.debug(
                "Request refused.",
                ["connection": "\(hub.engine.reactor)-\(connection)", "status": response.status])
        }
        hub.outlet.respond(response, to: connection)
    }

    /// The call that an answer is for, unless it was answered or its connection is gone.
    private func take(_ origin: Origin) -> (any HTTPCall)? {
        guard let call = waiting[origin.session], call.origin.command == origin.command
        else { return nil }
        waiting[origin.session] = nil
        return call
    }
}
