// Which operation carries out which command: one row each.

import EventModel

/// Finds the operation for a command.
enum CommandRouter {
    /// Carries a command out, or starts to.
    static func handle(
        _ command: Command, for caller: SessionCaller, tenants: Tenants
    ) -> OperationOutcome {
        switch command {
        case .hello: .refused(.helloAgain)
        case .subscribe(let requests): Operations.subscribe(requests, for: caller)
        case .unsubscribe(let channels): Operations.unsubscribe(channels, for: caller)
        case .follow(let request): Operations.follow(request, for: caller)
        case .unfollow(let selection): Operations.unfollow(selection, for: caller)
        case .repair(let request): Operations.repair(request, for: caller)
        case .publish(let request): Operations.publish(request, by: caller)
        case .signal(let request):
            Operations.signal(request.message, to: request.channel, by: caller)
        case .addAction(let request): Operations.addAction(request, by: caller)
        case .removeAction(let request): Operations.removeAction(request, by: caller)
        case .editMessage(let request): Operations.editMessage(request, by: caller)
        case .deleteMessage(let request): Operations.deleteMessage(request, by: caller)
        case .deleteMessages(let request): Operations.deleteMessages(request, by: caller)
        case .removeActions(let request): Operations.removeActions(request, by: caller)
        case .history(let query): Operations.history(query, for: caller)
        case .older(let query): Operations.older(query, for: caller)
        case .actions(let query):
            query.live.map { Operations.liveActions(query, $0, for: caller) }
                ?? Operations.actions(query, for: caller)
        case .endLive(let id): Operations.endLive(id, for: caller)
        case .summaries(let query):
            caller.ask(.summaries(query), about: query.channel)
        case .markRead(let mark): Operations.markRead(mark, by: caller)
        case .unread(let channels): Operations.unread(channels, for: caller)
        case .hereNow(let query):
            Operations.presence(
                .occupancy(channels: [query.channel], query.page), for: caller)
        case .whereNow(let userID): Operations.presence(.channels, of: userID, for: caller)
        case .setState(let channel, let state):
            Operations.presence(.setState(channels: [channel], state: state), for: caller)
        case .getState(let channel, let userID):
            Operations.presence(.state(channels: [channel]), of: userID, for: caller)
        case .changeGroup(let request):
            Operations.changeGroup(request.group, request.change, by: caller)
        case .group(let name): .done(.group(channels: caller.channels(of: name)))
        case .directory(let query): Operations.directory(query, for: caller)
        case .changeDirectory(let request): Operations.change(request, by: caller)
        case .token(let token): Operations.showToken(token, for: caller, tenants: tenants)
        case .ping: .done(.pong(Timetoken(rawValue: caller.engine.wallTicks())))
        }
    }
}

extension OccupancyQuery {
    fileprivate var page: Presence.Page {
        Presence.Page(includesState: includesStates, limit: limit, offset: offset)
    }
}
