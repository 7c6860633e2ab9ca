// Who may come in: keysets that admit nobody without a token, and requests that are too large.

import EventModel

extension PubNubRouter {
    /// Why a request is too large, its groups' members counted; `nil` when it is not.
    static func sizeRefusal(_ context: PubNubContext) -> HTTPResponse? {
        let names = context.request.endpoint.names
        var count = names.channels.count
        for group in names.groups { count += context.channels(of: groupName(group)).count }
        guard count > Limits.channelsPerSessionMax else { return nil }
        return PubNubError.tooManyChannels(Limits.channelsPerSessionMax, context.family).response
    }

    /// Why a request may not be carried out; `nil` when it may.
    static func accessRefusal(_ context: PubNubContext) -> HTTPResponse? {
        // Tokens do not exist yet: whoever guards a keyset guards it from everyone.
        guard context.keyset.isAccessControlled else { return nil }
        let names = context.request.endpoint.names
        return PubNubError.forbidden(
            context.family, channels: names.channels, groups: names.groups
        ).response
    }
}

extension PubNubContext {
    /// How this request's errors look.
    var family: PubNubError.Family { request.endpoint.family(at: wallTime) }
}

extension PubNubRequest.Endpoint {
    /// Whether the request is about a tenant's data.
    var hasTenant: Bool {
        switch self {
        case .time, .preflight: false
        default: true
        }
    }

    /// The channels and groups that a refusal names.
    fileprivate var names: (channels: [String], groups: [String]) {
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
