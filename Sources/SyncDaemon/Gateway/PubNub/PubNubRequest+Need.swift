// What a request names, and what a token has to allow for it: one row each.

import EventModel

extension PubNubRequest.Endpoint {
    /// Whether the request is about a tenant's data.
    var hasTenant: Bool {
        switch self {
        case .time, .preflight: false
        default: true
        }
    }

    /// What it asks of whom it is carried out for.
    ///
    /// - Parameter now: A cursor from long before it reads the past.
    /// - Source: PubNub's table of permissions.
    func need(at now: Timetoken) -> Need {
        switch self {
        case .time, .preflight: .nothing
        case .publish(let publication): .having(.write, on: [publication.channel])
        case .signal(let channel, _): .having(.write, on: [channel])
        case .subscribe(let poll):
            .having(
                .reading(after: poll.cursor == .zero ? nil : poll.cursor, at: now),
                on: poll.channels, groups: poll.groups)
        case .heartbeat(let beat): .having(.presence, on: beat.channels, groups: beat.groups)
        case .leave(let channels, let groups):
            // Whoever could come may go, also when the right to come is gone.
            .having([], on: channels, groups: groups)
        case .whereNow(let user): .having([], user: user)
        case .hereNow(let census):
            census.channels.isEmpty && census.groups.isEmpty
                ? .all
                : .having(.presence, on: census.channels, groups: census.groups)
        case .state(let channels, let groups, _):
            .having(.presence, on: channels, groups: groups)
        case .setState(let channels, let groups, let user, _):
            .having(.presence, on: channels, groups: groups, user: user)
        case .addAction(let channel, _, _, _): .having(.react, on: [channel])
        case .removeAction(let channel, _, _): .having(.unreact, on: [channel])
        case .deleteMessages(let channel, let start, let end):
            // One message may be the caller's own; the ledger knows.
            Self.isOne(after: start, through: end)
                ? Need(places: [
                    Need.Place(
                        kind: .channel, name: channel, rights: [.write, .delete], isAny: true)
                ]) : .having(.delete, on: [channel])
        case .actions(let request): .having(.history, on: [request.channel])
        case .history(let request): .having(.history, on: [request.channel])
        case .fetch(let request): .having(.history, on: request.channels)
        case .messageCounts(let cursors): .having(.history, on: cursors.map(\.channel))
        case .group(let request): request.need
        case .objects(let query, _): .reading(query)
        case .changeObjects(let request, _, _): .changing(request)
        case .files(.upload(let channel, _)): .having(.write, on: [channel])
        case .files(.list(let channel, _, _)), .files(.url(let channel, _, _)):
            .having(.read, on: [channel])
        case .files(.remove(let channel, _, _)): .having(.delete, on: [channel])
        case .push(_, let change, _): change.map { .changing($0) } ?? .nothing
        case .grant, .revoke, .grantKeys, .auditKeys: .signature
        }
    }
}

extension PubNubRequest.Endpoint {
    /// Whether a range has room for one message only.
    static func isOne(after start: Timetoken?, through end: Timetoken?) -> Bool {
        guard let start, let end, end > .zero else { return false }
        return start.rawValue == end.rawValue - 1
    }
}

extension PubNubRequest.GroupRequest {
    fileprivate var need: Need {
        switch self {
        case .listAll: .all
        case .list(let group): .listing(group)
        case .delete(let group): .changing(group, .delete)
        case .remove(let group, let channels): .changing(group, .remove(channels))
        case .add(let group, let channels): .changing(group, .add(channels))
        }
    }
}
