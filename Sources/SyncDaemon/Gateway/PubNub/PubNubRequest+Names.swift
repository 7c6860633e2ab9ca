// What a request names: to whom it belongs, and which channels and groups it is about.

extension PubNubRequest.Endpoint {
    /// Whether the request is about a tenant's data.
    var hasTenant: Bool {
        switch self {
        case .time, .preflight: false
        default: true
        }
    }

    /// The channels and groups that a refusal names.
    var names: (channels: [String], groups: [String]) {
        switch self {
        case .time, .preflight, .whereNow: ([], [])
        case .publish(let publication): ([publication.channel], [])
        case .signal(let channel, _): ([channel], [])
        case .subscribe(let poll): (poll.channels, poll.groups)
        case .heartbeat(let beat): (beat.channels, beat.groups)
        case .leave(let channels, let groups): (channels, groups)
        case .hereNow(let census): (census.channels, census.groups)
        case .state(let channels, let groups, _), .setState(let channels, let groups, _, _):
            (channels, groups)
        case .addAction(let channel, _, _, _), .removeAction(let channel, _, _),
            .deleteMessages(let channel, _, _):
            ([channel], [])
        case .actions(let request): ([request.channel], [])
        case .history(let request): ([request.channel], [])
        case .fetch(let request): (request.channels, [])
        case .messageCounts(let cursors): (cursors.map(\.channel), [])
        case .group(let request): ([], request.groupName.map { [$0] } ?? [])
        }
    }
}

extension PubNubRequest.GroupRequest {
    fileprivate var groupName: String? {
        switch self {
        case .listAll: nil
        case .list(let group), .delete(let group): group
        case .add(let group, _), .remove(let group, _): group
        }
    }
}
