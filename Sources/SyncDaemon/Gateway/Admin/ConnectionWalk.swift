// Looking through the connections of one reactor for an operator, a bounded number at a time.

import EventModel

/// What an operator asks of a reactor; the answer is told on the reactor's thread.
struct SessionQuestion: Sendable {
    let filter: SessionFilter
    /// The place where to begin.
    let slot: UInt32
    /// Connections that are wanted at most; `nil`: those that are found are ended.
    let limit: Int?
    let tell: @Sendable (SessionPart) -> Void
}

/// A part of the answer.
struct SessionPart: Sendable {
    let reactor: Int
    var found: [SessionFacts] = []
    /// How many were ended.
    var endedCount = 0
    /// Where to go on; `nil`: these are all.
    var next: UInt32?
}

/// One reactor, as its thread sees it between two commands.
struct ConnectionWalk {
    let hub: Hub
    let http: HTTPDoor
    let log: Log?

    /// Looks at some connections, and says where to go on.
    func look(_ question: SessionQuestion) -> SessionPart {
        var part = SessionPart(reactor: hub.engine.reactor)
        let count =
            question.limit == nil
            ? Limits.sessionsEndedPerTurnMax : Limits.sessionsExaminedPerTurnMax
        guard let transport = hub.outlet.transport else { return part }
        let (connections, next) = transport.connections(from: question.slot, atMost: count)
        part.next = next
        for connection in connections {
            let facts = facts(of: connection)
            guard question.filter.admits(facts, follows: { follows($0, connection.id) }) else {
                continue
            }
            guard let limit = question.limit else {
                if end(facts, transport) { part.endedCount += 1 }
                continue
            }
            guard part.found.count < limit else {
                part.next = connection.id.slot
                break
            }
            part.found.append(facts)
        }
        return part
    }

    private func facts(of connection: ConnectionFacts) -> SessionFacts {
        var facts = SessionFacts(reactor: hub.engine.reactor, connection: connection)
        facts.queuedBytes = connection.unsentBytes
        if let session = hub.sessions[connection.id] {
            facts.kind = .websocket
            facts.keyset = session.author?.keyset
            facts.user = session.author?.userID
            facts.device = session.author?.deviceID
            facts.subscriptions = session.subscriptions.count
            facts.queuedBytes += session.queue.byteCount
        } else if let call = http.call(on: connection.id) {
            facts.kind = call is any HTTPStreamCall ? .stream : .request
            if call.hasTenant {
                facts.keyset = call.author.keyset
                facts.user = call.author.userID
            }
            if let poll = hub.polls.request(on: connection.id) {
                if !poll.isOfStream { facts.kind = .poll }
                facts.subscriptions = poll.interests.count + poll.groups.count
            }
        }
        return facts
    }

    private func follows(_ channel: String, _ connection: SessionID) -> Bool {
        if let session = hub.sessions[connection] {
            let name = session.author.map { Channel(channel, keyset: $0.keyset) }
            return name.map { session.subscriptions[$0] != nil } ?? false
        }
        return hub.polls.request(on: connection)?.interests.contains {
            ExactText($0.channel.name) == ExactText(channel)
        } ?? false
    }

    /// - Returns: `false` when it ends already.
    private func end(_ facts: SessionFacts, _ transport: any Transport) -> Bool {
        let id = facts.connection.id
        if let session = hub.sessions[id] {
            guard !session.isClosing else { return false }
            hub.outlet.close(session, .kicked)
        } else {
            transport.hangUp(id)
        }
        log?.info(
            "An operator ends a connection.",
            [
                "connection": facts.name, "peer": facts.connection.address,
                "keyset": facts.keyset ?? "", "user": facts.user ?? "",
            ])
        return true
    }
}
