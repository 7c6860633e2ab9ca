// What a request may be answered with: at once, or when somebody else knows.

import EventModel

/// One request as it came in, for who answers it.
struct HTTPAsking {
    let request: HTTPRequest
    /// Where an answer goes that comes later.
    let origin: Origin
    let hub: Hub
    let tenants: Tenants
}

/// How a request is answered.
enum HTTPAnswer {
    case now(HTTPResponse)
    /// Likewise, because what came with it is worth nothing.
    case refused(HTTPResponse)
    /// The door starts the call, and keeps it until the answer is there.
    case call(any HTTPCall)
}

/// A request that an operation answers: maybe at once, else through its ``Caller/origin``.
protocol HTTPCall: Caller {
    /// Whether anything is asked about the data of a tenant, who has to admit the caller then.
    var hasTenant: Bool { get }
    /// Whether a backend makes tokens or takes them back, with a signature that was found right:
    /// what the tenant's clients may have is not for it.
    var isOfBackend: Bool { get }
    /// Whether it is let in however short memory is: it gives some back, or the tenant's backend
    /// signed it.
    var isCarriedOutWhateverMemory: Bool { get }
    /// Whether it lists what there is, at once: that may be long, and has its turn as what readers
    /// find has.
    var isList: Bool { get }
    /// Ends when nobody waits for its answer any more.
    var demand: Demand { get }
    /// The token that came with it.
    var token: String? { get }
    /// Carries it out, or starts to; `nil`: the answer comes later.
    func start() -> HTTPResponse?

    /// Goes on after an answer that is not the last; `nil`: it is.
    func goOn(after reply: Reply) -> OperationOutcome?

    // In the words of its dialect:
    func refusal(_ error: ProtocolError) -> HTTPResponse
    /// What the ledger or a reader found.
    func response(to reply: Reply) -> HTTPResponse
    /// What presence knows.
    func response(to reply: PresenceReply) -> HTTPResponse
    /// What a long poll waited for.
    ///
    /// - Parameter cursor: From where to go on.
    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse
}

extension HTTPCall {
    func goOn(after reply: Reply) -> OperationOutcome? { nil }
}
