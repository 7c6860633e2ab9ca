// Which operation carries out which command: one row each.

import EventModel

/// Finds the operation for a command.
enum CommandRouter {
    /// Carries a session's command out, or starts to.
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
        case .older(let query): Operations.older(query, for: caller)
        case .actions(let query) where query.live != nil:
            query.live.map { Operations.liveActions(query, $0, for: caller) }
                ?? Operations.actions(query, for: caller)
        case .endLive(let id): Operations.endLive(id, for: caller)
        case .unread(let channels): Operations.followUnread(channels, for: caller)
        case .token(let token): Operations.showToken(token, for: caller, tenants: tenants)
        default: handle(command, for: caller) ?? .refused(.helloFirst)
        }
    }

    /// Carries out what takes no session, or starts to; `nil` for what does.
    static func handle(_ command: Command, for caller: some Caller) -> OperationOutcome? {
        switch command {
        case .hello, .subscribe, .unsubscribe, .follow, .unfollow, .repair, .older, .endLive,
            .token:
            nil
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
        case .actions(let query): query.live == nil ? Operations.actions(query, for: caller) : nil
        case .summaries(let query): caller.ask(.summaries(query), about: query.channel)
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
        case .ping: .done(.pong(Timetoken(rawValue: caller.engine.wallTicks())))
        }
    }

    /// What presence says to a command.
    static func result(
        _ reply: PresenceReply, to command: PresenceRequest.Operation, for caller: some Caller
    ) -> Result<Reply, ProtocolError> {
        switch (reply, command) {
        case (.refused(let refusal), _):
            .failure(
                ProtocolError(refusal, of: caller.accounts.account(of: caller.keyset)))
        case (.occupancy(let found), .occupancy(_, let page)):
            .success(.hereNow(OccupancyPage(found.first, of: page)))
        case (.channels(let channels), .channels):
            .success(.whereNow(channels: Operations.visible(channels, to: caller)))
        case (.done, .setState(_, let state)): .success(.state(state))
        case (.states(let states), .state): .success(.state(states.first?.state ?? "{}"))
        default: preconditionFailure("A command was answered with another's reply.")
        }
    }
}

extension OccupancyPage {
    /// As much of what presence found as one reply may hold.
    fileprivate init(_ found: Occupancy?, of page: Presence.Page) {
        let all = found?.users ?? []
        var bytes = 0
        let count = all.prefix { user in
            defer { bytes += 40 + user.userID.utf8.count + (user.state?.utf8.count ?? 0) }
            return bytes <= Limits.presencePageBytesMax
        }.count
        let occupancy = found?.count ?? 0
        let end = page.offset + count
        self.init(
            occupancy: occupancy, users: Array(all.prefix(count)),
            next: count > 0 && end < occupancy ? end : nil)
    }
}

extension OccupancyQuery {
    /// As presence has it.
    var page: Presence.Page {
        Presence.Page(includesState: includesStates, limit: limit, offset: offset)
    }
}
