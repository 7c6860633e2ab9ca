// What a request may be answered with: at once, or when somebody else knows.

import EventModel

/// One request as it came in, for who answers it.
struct HTTPAsking {
    let request: HTTPRequest
    /// Where an answer goes that comes later.
    let origin: Origin
    let hub: Hub
    let tenants: Tenants
    var files: FileService?
}

/// How a request is answered.
enum HTTPAnswer {
    case now(HTTPResponse)
    /// Likewise, because what came with it is worth nothing.
    case refused(HTTPResponse)
    /// The door starts the call, and keeps it until the answer is there.
    case call(any HTTPCall)
}

/// What was found for a call, or why nothing was.
enum HTTPFound {
    case reply(Reply)
    case presence(PresenceReply)
    case refused(ProtocolError)
}

/// A cursor as a client shows it.
struct GivenCursor: Hashable {
    let timetoken: Timetoken
    /// What the client was told with it; `nil`: it does not say.
    var epoch: String?
}

/// A request that operations answer: maybe at once, else through its ``Caller/origin``.
protocol HTTPCall: Caller {
    /// How many commands it is made of; their numbers follow each other from its origin's on.
    var commandCount: Int { get }
    /// As how many they count for the rate limit: one that is dear counts as several.
    var commandCost: Int { get }
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
    /// Whether it is refused when the daemon is told to stop, though it waits for its answer.
    var endsWithDrain: Bool { get }
    /// From where on it wants events, if it comes with a cursor.
    var cursorShown: GivenCursor? { get }
    /// Ends when nobody waits for its answer any more.
    var demand: Demand { get }
    /// The token that came with it.
    var token: String? { get }
    /// Whether it may go on after the tenants have changed.
    ///
    /// - Throws: As ``Tenants/credential(ofStaying:with:as:from:at:)``.
    func check(in tenants: Tenants) throws(ProtocolError)
    /// Carries it out, or starts to; `nil`: the answer comes later.
    func start() -> HTTPResponse?

    // In the words of its dialect:
    func refusal(_ error: ProtocolError) -> HTTPResponse
    /// Takes what came of one of its commands; `nil`: it waits for more.
    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse?
    /// What a long poll waited for.
    ///
    /// - Parameter cursor: From where to go on.
    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse
}

extension HTTPCall {
    var commandCount: Int { 1 }
    var commandCost: Int { commandCount }
    var endsWithDrain: Bool { false }
    var cursorShown: GivenCursor? { nil }

    func check(in tenants: Tenants) throws(ProtocolError) {
        _ = try tenants.credential(
            ofStaying: author, with: token, as: credential, from: origin.session,
            at: engine.seconds)
    }

    /// Whether an answer is for it.
    func awaits(_ command: CommandID) -> Bool {
        (origin.command..<origin.command + Int64(commandCount)).contains(command)
    }
}

/// A request whose answer has no end: events as they come.
protocol HTTPStreamCall: HTTPCall {
    /// Waits for what is next, once the peer has taken what there was.
    ///
    /// - Parameter command: The number under which it waits.
    /// - Returns: `nil`: it waits.
    func goOn(as command: CommandID) -> HTTPResponse?
    /// What says that the stream goes on though nothing happens.
    var sign: HTTPResponse { get }
}
