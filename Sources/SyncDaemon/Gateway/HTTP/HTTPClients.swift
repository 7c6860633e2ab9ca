// What the door knows of connections between their requests, and where each of them is counted.

import EventModel

/// The HTTP connections of one reactor that have asked something.
///
/// One counts among its tenant's connections while it asks in the tenant's name, and for
/// ``Limits/quotaIdleSeconds`` after that. Once what it showed is worth nothing it does not: else
/// whoever was sent away could keep the places of those who were not.
struct HTTPClients {
    private struct Client {
        var bucket: TokenBucket
        /// Commands that its request counts as.
        var cost = 1
        /// Where it is counted.
        var account: Account?
        /// What it showed when it was counted last.
        var credential = Credential.unguarded
        /// Milliseconds; when it last asked for something of the tenant, or waited for it.
        var lastAsked: UInt64 = 0

        /// Leaves its tenant's count.
        mutating func release() {
            account?.add(.connections, -1)
            account = nil
        }
    }

    private var clients: [SessionID: Client] = [:]
    private var ratePerSecond: Int

    init(ratePerSecond: Int) { self.ratePerSecond = ratePerSecond }

    mutating func setRate(_ ratePerSecond: Int) {
        self.ratePerSecond = ratePerSecond
        forEach { $0.bucket.setRate(Double(ratePerSecond)) }
    }

    /// Whether a connection asks no more often than it may, by what its requests cost.
    mutating func admits(_ cost: Int, of connection: SessionID, at now: UInt64) -> Bool {
        let bucket = TokenBucket(ratePerSecond: ratePerSecond, at: now)
        clients[connection, default: Client(bucket: bucket)].cost = cost
        return clients[connection]?.bucket.take(cost, at: now) ?? true
    }

    /// Adds to a response how often its connection may ask, where the dialect has words for it.
    ///
    /// - Source: draft-ietf-httpapi-ratelimit-headers, whose first version most clients know.
    func telling(_ response: HTTPResponse, of connection: SessionID) -> HTTPResponse {
        guard response.tellsRate, let bucket = clients[connection]?.bucket else { return response }
        var response = response
        response.headers += [
            HTTPResponse.Header(name: "RateLimit-Limit", value: "\(ratePerSecond)"),
            HTTPResponse.Header(name: "RateLimit-Remaining", value: "\(bucket.rest)"),
            HTTPResponse.Header(name: "RateLimit-Reset", value: "1"),
        ]
        return response
    }

    /// Counts a connection in the tenant of what it asks, and the request in the tenant's rate.
    ///
    /// - Throws: That the tenant has all the connections, or asks as often, as it may.
    mutating func count(
        _ call: any HTTPCall, of connection: SessionID, in tenants: Tenants, at now: UInt64
    ) throws(ProtocolError) {
        // Clients who have all that the tenant may have could keep their tokens else.
        guard call.hasTenant, !call.isOfBackend, var client = clients[connection] else { return }
        // One that speaks for several tenants counts with the last.
        if client.account?.subscribeKey != call.keyset.subscribeKey {
            let account = try tenants.seat(
                in: call.keyset, whateverMemory: call.isCarriedOutWhateverMemory)
            client.release()
            client.account = account
        }
        client.credential = call.credential
        client.lastAsked = now
        let cost = call.commandCost
        if cost > 1 {
            // The request itself was paid for when it came: at once, or what costs more than there
            // ever is would never find all of it there.
            client.bucket.putBack()
            guard client.bucket.take(cost, at: now) else { throw .rateLimited }
            client.cost += cost - 1
        }
        clients[connection] = client
        guard client.account?.admits(commands: client.cost, at: now) ?? true else {
            throw .rateLimited
        }
    }

    /// Hears that a connection is gone.
    mutating func forget(_ connection: SessionID) {
        clients[connection]?.release()
        clients[connection] = nil
    }

    /// Hears that what came with a request is worth nothing.
    mutating func release(_ connection: SessionID) { clients[connection]?.release() }

    /// No longer counts those whose credential is worth nothing now.
    mutating func release(where isWorthless: (Account, Credential) -> Bool) {
        forEach { client in
            if let account = client.account, isWorthless(account, client.credential) {
                client.release()
            }
        }
    }

    /// No longer counts those that have asked for nothing for a while; called once a second.
    mutating func releaseIdle(at now: UInt64, unless isAsking: (SessionID) -> Bool) {
        var index = clients.startIndex
        while index != clients.endIndex {
            if clients.values[index].account != nil {
                if isAsking(clients.keys[index]) { clients.values[index].lastAsked = now }
                let idle = now - clients.values[index].lastAsked
                if idle >= UInt64(Limits.quotaIdleSeconds) * 1000 {
                    clients.values[index].release()
                }
            }
            clients.formIndex(after: &index)
        }
    }

    /// In place: a loop over the table that writes to it would copy it.
    private mutating func forEach(_ change: (inout Client) -> Void) {
        var index = clients.startIndex
        while index != clients.endIndex {
            change(&clients.values[index])
            clients.formIndex(after: &index)
        }
    }
}
