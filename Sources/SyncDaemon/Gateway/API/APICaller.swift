// In whose name the HTTP API carries something out, whether it ends or goes on.

import EventModel

/// In whose name something is carried out.
struct APICaller: Caller {
    let author: Author
    let keyset: Keyset
    let credential: Credential
    let isServer: Bool
    let publishKey: PublishKey
    let accounts: Accounts
    let origin: Origin
    let hub: Hub
    let audit: Audit
    let demand: Demand

    var engine: any Engine { hub.engine }

    func ask(_ request: ReadRequest) -> Bool {
        var request = request
        request.demand = demand
        return engine.ask(request)
    }

    /// Carries a command out, or starts to.
    func carryOut(_ command: Command) -> OperationOutcome {
        if let error = refusal(of: command.need(at: engine.wallTime)) { return .refused(error) }
        guard let outcome = CommandRouter.handle(command, for: self) else {
            preconditionFailure("The table has an operation that takes a session.")
        }
        return outcome
    }
}

/// A request of the HTTP API that was let in.
protocol APIAsking: HTTPCall {
    /// In whose name it is counted, and looked at again.
    var caller: APICaller { get }
    var bearer: APIBearer { get }
}

extension APIAsking {
    var author: Author { caller.author }
    var keyset: Keyset { caller.keyset }
    var credential: Credential { caller.credential }
    var publishKey: PublishKey { caller.publishKey }
    var accounts: Accounts { caller.accounts }
    var engine: any Engine { caller.engine }
    var audit: Audit { caller.audit }
    var demand: Demand { caller.demand }
    var token: String? { bearer.text }
    var hasTenant: Bool { true }
    var isOfBackend: Bool { false }
    var isList: Bool { false }

    func ask(_ request: ReadRequest) -> Bool { caller.ask(request) }

    func check(in tenants: Tenants) throws(ProtocolError) { try bearer.check(self, in: tenants) }
}
