// PubNub's SDKs on one reactor: their requests, and those of them that wait for an answer.

import EventModel

/// Where requests of SDKs come in and their answers leave.
///
/// Confined to its reactor's thread.
final class PubNubDoor {
    /// Requests that wait for the ledger, a reader, presence or an event; one per connection.
    private var waiting: [SessionID: PubNubContext] = [:]
    private var lastCommand: CommandID = 0
    private let hub: Hub
    private let tenants: Tenants
    private let log: Log?

    init(hub: Hub, tenants: Tenants, log: Log? = nil) {
        self.log = log
        self.hub = hub
        self.tenants = tenants
        hub.answerPoll = { [unowned self] poll, events, cursor in
            guard let context = waiting.removeValue(forKey: poll.session),
                case .subscribe(let question) = context.request.endpoint
            else { return }
            hub.respond(
                PubNubReplyEncoder.poll(events: events, cursor: cursor, for: question),
                to: poll.session)
        }
    }

    private var engine: any Engine { hub.engine }

    /// Requests that have to be answered before the daemon may stop.
    var isIdle: Bool { waiting.isEmpty }

    /// Takes a request, if it is one of PubNub's.
    ///
    /// - Returns: `false` when it is for somebody else.
    func receive(_ request: HTTPRequest, from connection: SessionID, isDraining: Bool) -> Bool {
        let now = Timetoken(rawValue: engine.wallTicks())
        guard let decoded = PubNubRequestDecoder.decode(request, now: now) else { return false }
        switch decoded {
        case .failure(let error): respond(error.response, to: connection)
        case .success(let request):
            if let response = start(request, from: connection, isDraining: isDraining) {
                respond(response, to: connection)
            }
        }
        return true
    }

    /// What to say of a request that is not read to its end: SDKs put whole messages into targets.
    func response(to refusal: HTTPRefusal) -> HTTPResponse {
        switch refusal {
        case .broken: refusal.response
        case .targetTooLong: PubNubError.requestTooLong.response
        case .bodyTooLong(let request):
            PubNubError.bodyTooLarge(for: request, at: Timetoken(rawValue: engine.wallTicks()))
                ?? refusal.response
        }
    }

    /// Answers a connection.
    func respond(_ response: HTTPResponse, to connection: SessionID) {
        if response.status >= 400 {
            log?.debug(
                "Request refused.",
                ["connection": "\(engine.reactor)-\(connection)", "status": response.status])
        }
        hub.respond(response, to: connection)
    }

    /// Takes the ledger's or a reader's answer.
    func finish(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        guard let context = take(origin) else { return }
        let response =
            switch result {
            case .success(let reply): PubNubRouter.answer(reply, in: context)
            case .failure(let error): context.refusal(error)
            }
        respond(response, to: origin.session)
    }

    /// Takes presence's answer.
    func finish(_ answer: PresenceAnswer) {
        guard let context = take(answer.origin) else { return }
        respond(PubNubRouter.answer(answer.reply, in: context), to: answer.origin.session)
    }

    /// Hears that there are other tenants; polls of one that is gone, or guarded now, are refused.
    ///
    /// Other requests are under way already, and are answered in a moment.
    func tenantsChanged() {
        for (connection, context) in waiting where hub.polls.open[connection] != nil {
            guard let refusal = refusal(of: context, tenants.keysets[context.request.subscribeKey])
            else { continue }
            forget(connection)
            respond(refusal, to: connection)
        }
    }

    private func refusal(of context: PubNubContext, _ keyset: Keyset?) -> HTTPResponse? {
        guard let keyset else {
            return PubNubError.invalidSubscribeKey(context.family).response
        }
        return PubNubRouter.accessRefusal(
            PubNubContext(
                request: context.request, keyset: keyset, origin: context.origin, hub: hub))
    }

    /// Hears that a connection is gone: nobody waits for its answer any more.
    func forget(_ connection: SessionID) {
        waiting[connection] = nil
        hub.forgetPoll(of: connection)
    }

    private func start(
        _ request: PubNubRequest, from connection: SessionID, isDraining: Bool
    ) -> HTTPResponse? {
        lastCommand += 1
        let keyset = tenants.keysets[request.subscribeKey]
        let context = PubNubContext(
            request: request, keyset: keyset ?? Keyset(subscribeKey: request.subscribeKey),
            origin: Origin(reactor: engine.reactor, session: connection, command: lastCommand),
            hub: hub)
        guard !isDraining else { return context.refusal(.draining).closing }
        if request.endpoint.hasTenant {
            guard keyset != nil else {
                return PubNubError.invalidSubscribeKey(context.family).response
            }
            if let refusal = PubNubRouter.accessRefusal(context) { return refusal }
            if let refusal = PubNubRouter.sizeRefusal(context) { return refusal }
        }
        // Before the request is carried out: an answer may come at once.
        waiting[connection] = context
        let response = PubNubRouter.handle(context)
        if response != nil { waiting[connection] = nil }
        return response
    }

    /// The request that an answer is for, unless it was answered or its connection is gone.
    private func take(_ origin: Origin) -> PubNubContext? {
        guard let context = waiting[origin.session], context.origin.command == origin.command
        else { return nil }
        waiting[origin.session] = nil
        return context
    }
}
