// Who asks for an operation, in whose name, and what comes of it.

import EventModel

/// One asking: a command of a session, or a request of an SDK.
///
/// Gateways make them; an operation knows nothing else of how it was asked.
protocol Caller {
    /// In whose name.
    var author: Author { get }
    /// What the owner of the author's tenant decided.
    var keyset: Keyset { get }
    /// What the caller showed.
    var credential: Credential { get }
    /// Whether it is a server of the tenant's owner, in whoever's name.
    var isServer: Bool { get }
    /// What the caller named as the tenant's publish key.
    var publishKey: PublishKey { get }
    /// What tenants have and may have.
    var accounts: Accounts { get }
    /// Where the answer goes.
    var origin: Origin { get }
    var engine: any Engine { get }
    /// Where it is noted what was done and refused.
    var audit: Audit { get }
    /// Has a reader answer; `false` when too many questions wait.
    func ask(_ request: ReadRequest) -> Bool
}

/// What a caller said when it could name a publish key.
enum PublishKey: Hashable, Sendable {
    /// `nil`: it named none.
    case named(String?)
    /// Its dialect has no place for one there: see docs/PUBNUB.md.
    case unasked
}

/// What came of an operation.
enum OperationOutcome: Hashable {
    case done(Reply)
    case refused(ProtocolError)
    /// The answer comes later, to the caller's origin.
    case later
}

/// Every operation, each in a file of its own and with one meaning for all gateways.
///
/// What is asked of a caller stands here: what the owner of the keyset decided, what may be written
/// where, how long it is kept.
enum Operations {}

extension Caller {
    /// By what it showed; who has more to show says so itself.
    var isServer: Bool { credential == .secretKey }

    /// The channel that a name stands for: names are per keyset.
    func channel(_ name: String) -> Channel {
        Channel(name, keyset: keyset.subscribeKey)
    }

    /// What the tenant's owner decided about a channel.
    func settings(of name: String) -> ChannelSettings {
        keyset.settings(of: channel(name))
    }

    /// Sends a change on its way; its answer comes with a commit.
    func submit(
        _ operation: Write.Operation, in name: String, mutation: String? = nil,
        hoursAsked: Int? = nil
    ) -> OperationOutcome {
        if let refusal = refusal(changing: name) { return .refused(refusal) }
        let write = Write(
            origin: origin, author: author, channel: channel(name), operation: operation,
            mutation: mutation, hoursAsked: hoursAsked, isOfServer: isServer)
        return engine.submit(write) ? .later : .refused(.overloaded)
    }

    /// Sends an event that is not stored to its place in the order.
    func announce(_ event: Event, in name: String) -> OperationOutcome {
        if let refusal = refusal(changing: name) { return .refused(refusal) }
        let announcement = Announcement(
            channel: channel(name), uuid: author.userID, event: event, origin: origin,
            isOfServer: isServer)
        switch engine.announce(announcement) {
        case .at(let timetoken): return .done(.published(timetoken))
        case .waits: return .later
        case .refused: return .refused(.overloaded)
        }
    }

    /// Sends a question on its way; its answer comes from a reader.
    func ask(_ query: ReadRequest.Query, about name: String) -> OperationOutcome {
        let request = ReadRequest(asker: .client(origin), channel: channel(name), query: query)
        return ask(request) ? .later : .refused(.overloaded)
    }
}
