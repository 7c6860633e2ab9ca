// A request of the HTTP API, being carried out: one command, or a batch of them.

import EventModel
import JSON

/// Commands of one request, and what has come of each.
final class APICall: APIAsking {
    private let parts: [Result<APIRequest.Part, ProtocolError>]
    private let callers: [APICaller]
    let bearer: APIBearer
    private var results: [Result<Reply, ProtocolError>?]
    private let isBatch: Bool
    /// The first command that is still to be carried out.
    private var next = 0

    init(
        _ form: APIRequest.Form, _ bearer: APIBearer, _ asking: HTTPAsking
    ) throws(ProtocolError) {
        switch form {
        case .one(let part): (parts, isBatch) = ([.success(part)], false)
        case .batch(let parts): (self.parts, isBatch) = (parts, true)
        }
        self.bearer = bearer
        results = parts.map { _ in nil }
        let demand = Demand()
        // A token is looked at once; whose it is is asked with each command of a batch.
        let first = bearer.author(as: isBatch ? nil : try? parts[0].get().author)
        let credential = try bearer.credential(of: first, asking)
        let origin = asking.origin
        callers = parts.enumerated().map { index, part in
            APICaller(
                author: bearer.author(as: try? part.get().author), keyset: bearer.keyset,
                credential: credential, isServer: bearer.server != nil,
                publishKey: bearer.publishKey,
                accounts: asking.tenants.accounts,
                origin: Origin(
                    reactor: origin.reactor, session: origin.session,
                    command: origin.command + Int64(index)),
                hub: asking.hub, audit: asking.tenants.audit, demand: demand)
        }
    }

    var caller: APICaller { callers[0] }

    var commandCount: Int { parts.count }
    var commandCost: Int {
        parts.reduce(0) { $0 + ((try? $1.get().command.cost) ?? 1) }
    }
    var origin: Origin { caller.origin }
    var isCarriedOutWhateverMemory: Bool { bearer.server != nil }

    func start() -> HTTPResponse? {
        goOn()
        return responseWhenDone()
    }

    /// Carries out as many as can be: their order is that in which the ledger takes them.
    ///
    /// What is not stored has its place in the order at once: it waits for all before it.
    private func goOn() {
        while next < parts.count {
            let index = next
            switch parts[index] {
            case .failure(let error): results[index] = .failure(error)
            case .success(let part):
                let overtakes = Operations.isUnstored(part.command, for: callers[index])
                if overtakes, results[..<index].contains(where: { $0 == nil }) { return }
                switch callers[index].carryOut(part.command) {
                case .done(let reply): results[index] = .success(reply)
                case .refused(let error): results[index] = .failure(error)
                case .later: break
                }
            }
            next += 1
        }
    }

    func response(to found: HTTPFound, of command: CommandID) -> HTTPResponse? {
        let index = Int(command - origin.command)
        switch found {
        case .reply(let reply): results[index] = .success(reply)
        case .refused(let error): results[index] = .failure(error)
        case .presence(let reply):
            guard case .success(let part) = parts[index], let asked = part.command.presence else {
                preconditionFailure("A command was answered with another's reply.")
            }
            results[index] = CommandRouter.result(reply, to: asked, for: callers[index])
        }
        goOn()
        return responseWhenDone()
    }

    private func responseWhenDone() -> HTTPResponse? {
        let results = self.results.compactMap(\.self)
        guard results.count == parts.count else { return nil }
        guard isBatch else {
            switch results[0] {
            case .success(let reply): return .api(200, EncodedReply(reply).bytes)
            case .failure(let error): return .api(error)
            }
        }
        var json = JSONWriter()
        json.beginObject()
        json.beginArray("results")
        for result in results {
            json.beginObject()
            switch result {
            case .success(let reply):
                json.name("ok")
                json.raw(EncodedReply(reply).bytes)
            case .failure(let error): ReplyEncoder.encode(error.ofAPI, into: &json)
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .api(200, json.bytes)
    }

    func refusal(_ error: ProtocolError) -> HTTPResponse { .api(error) }

    func response(to events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        preconditionFailure("No command of the API polls.")
    }
}

extension Command {
    /// What it asks of presence, if it does.
    fileprivate var presence: PresenceRequest.Operation? {
        switch self {
        case .hereNow(let query): .occupancy(channels: [query.channel], query.page)
        case .whereNow: .channels
        case .setState(let channel, let state): .setState(channels: [channel], state: state)
        case .getState(let channel, _): .state(channels: [channel])
        default: nil
        }
    }
}
