// A command of a session: what it may touch, and how its answer gets back.

import EventModel

/// One command of one session, being carried out on the session's reactor.
struct SessionCaller: Caller {
    let id: CommandID
    let session: Session
    let author: Author
    let keyset: Keyset
    let hub: Hub
    let audit: Audit

    let accounts: Accounts

    var engine: any Engine { hub.engine }

    init(id: CommandID, session: Session, author: Author, hub: Hub, tenants: Tenants) {
        accounts = tenants.accounts
        self.id = id
        self.session = session
        self.author = author
        self.hub = hub
        audit = tenants.audit
        keyset = tenants.keysets[author.keyset] ?? Keyset(subscribeKey: author.keyset)
    }

    /// A hello has a place for it.
    var publishKey: PublishKey { .named(session.publishKey) }
    var credential: Credential { session.credential }
    var origin: Origin { Origin(reactor: engine.reactor, session: session.id, command: id) }

    func subscription(to name: String) -> Subscription? {
        session.subscriptions[channel(name)]
    }

    /// Behind the session's other questions: the hub asks when the session has taken its answers.
    func ask(_ request: ReadRequest) -> Bool {
        var request = request
        request.demand = session.demand
        hub.catchUp.ask(request, for: session)
        return true
    }
}
