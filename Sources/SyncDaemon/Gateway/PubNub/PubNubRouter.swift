// Which file carries out which request of an SDK: one row each.

import EventModel

/// Finds the operation for a request, and the words for its outcome.
enum PubNubRouter {
    /// Carries a request out, or starts to.
    ///
    /// - Returns: The answer; `nil` when it comes later.
    static func handle(_ context: PubNubContext) -> HTTPResponse? {
        switch context.request.endpoint {
        case .preflight: .pubNubPreflight
        case .subscribe(let poll): subscribe(poll, in: context)
        case .group(let request): group(request, in: context)
        case .files(let request): files(request, in: context)
        case .publish(let publication) where publication.file != nil:
            publication.file.flatMap { publishFile($0, in: publication.channel, context) }
        case .grant(let token): grant(token, in: context)
        case .revoke(let token): revoke(token, in: context)
        case .grantKeys(let request): grantKeys(request, in: context)
        case .auditKeys(let query): auditKeys(query, in: context)
        default: response(to: outcome(context), in: context)
        }
    }

    /// What the operation behind a request comes to.
    private static func outcome(_ context: PubNubContext) -> OperationOutcome {
        switch context.request.endpoint {
        case .time: Operations.position(for: context)
        case .publish(let publication): publish(publication, in: context)
        case .signal(let channel, let message):
            Operations.signal(message, to: channel, by: context)
        case .heartbeat(let beat):
            Operations.presence(self.beat(beat, in: context), for: context)
        case .leave(let channels, let groups): leave(channels, groups, in: context)
        case .hereNow(let census): hereNow(census, in: context)
        case .whereNow(let userID): Operations.presence(.channels, of: userID, for: context)
        case .state(let channels, let groups, let userID):
            Operations.presence(
                .state(channels: context.resolved(channels, groups)), of: userID, for: context)
        case .setState(let channels, let groups, let userID, let state):
            Operations.presence(
                .setState(channels: context.resolved(channels, groups), state: state),
                of: userID, for: context)
        case .addAction(let channel, let message, let type, let value):
            Operations.addAction(
                ActionRequest(
                    channel: channel, messageTimetoken: message, type: type, value: value),
                by: context)
        case .removeAction(let channel, let message, let action):
            Operations.removeAction(addedAt: action, to: message, in: channel, by: context)
        case .actions(let page): actions(page, in: context)
        case .history(let query): history(query, in: context)
        case .fetch(let query): fetch(query, in: context)
        case .messageCounts(let cursors): messageCounts(cursors, in: context)
        case .deleteMessages(let channel, let start, let end):
            deleteMessages(after: start, through: end, of: channel, in: context)
        case .push(let device, let change, _): push(device, change, in: context)
        case .objects(let query, _): Operations.directory(query, for: context)
        case .changeObjects(let request, _, _): Operations.change(request, by: context)
        case .preflight, .subscribe, .group, .files, .grant, .revoke, .grantKeys, .auditKeys:
            preconditionFailure("These have words of their own.")
        }
    }

    /// The answer to an outcome; `nil` when it comes later.
    static func response(to outcome: OperationOutcome, in context: PubNubContext) -> HTTPResponse? {
        switch outcome {
        case .done(let reply): answer(reply, in: context)
        case .refused(let error): context.refusal(error)
        case .later: nil
        }
    }

    /// The answer to a request that waited for the ledger or a reader.
    static func answer(_ reply: Reply, in context: PubNubContext) -> HTTPResponse {
        switch (reply, context.request.endpoint) {
        case (.pong(let now), .time): PubNubReplyEncoder.time(now)
        case (.pong(let now), .subscribe(let poll)):
            PubNubReplyEncoder.poll(events: [], cursor: now, for: poll)
        case (.pong(let now), .publish): PubNubReplyEncoder.published(now)
        case (.published(let timetoken), _): PubNubReplyEncoder.published(timetoken)
        case (.actionAdded(let action, .added), _), (.actionAdded(let action, .updated), _):
            PubNubReplyEncoder.actionAdded(action)
        case (.actionAdded(_, .already), _): PubNubError.actionExists.response
        case (.actionRemoved(.removed), _): PubNubReplyEncoder.actionRemoved
        case (.actionRemoved(.notOwner), _): PubNubError.wrongActionOwner.response
        case (.actionRemoved, _): PubNubError.noMatchingAction.response
        case (.actions(let page), .actions(let request)):
            PubNubReplyEncoder.actions(
                page, for: request, subscribeKey: context.request.subscribeKey)
        case (.histories(let histories), .history(let request)):
            PubNubReplyEncoder.history(
                histories.first?.page ?? HistoryPage(messages: [], next: nil), for: request)
        case (.histories(let histories), .fetch(let request)):
            PubNubReplyEncoder.fetched(
                histories.map { ($0.channel, $0.page) }, for: request,
                subscribeKey: context.request.subscribeKey)
        case (.messageCounts(let counts), _):
            PubNubReplyEncoder.counted(counts.map { ($0.channel, $0.count) })
        case (.messagesDeleted, _), (.messageDeleted, _): PubNubReplyEncoder.messagesDeleted
        case (.directory(let page), .objects(let query, let form)):
            PubNubReplyEncoder.objects(page, for: query, form)
        case (.directory(let page), .changeObjects(_, let query?, let form)):
            PubNubReplyEncoder.objects(page, for: query, form)
        case (.directoryChanged, _): PubNubReplyEncoder.objectRemoved
        case (.groupChanged, _): PubNubReplyEncoder.groupChanged
        case (.deviceChanged, .push(_, let change, _)):
            PubNubReplyEncoder.deviceChanged(by: change)
        case (.deviceChannels(let channels), .push(_, _, let page)):
            PubNubReplyEncoder.deviceChannels(channels, page)
        case (.files(let files, _), .files(.url(_, _, let name))):
            found(files, named: name, in: context)
        case (.files(let files, let next), _): PubNubReplyEncoder.files(files, next: next)
        case (.fileRemoved(nil), _): PubNubError.noSuchFile(.files).response
        case (.fileRemoved, _): PubNubReplyEncoder.fileRemoved
        case (.tokenRevoked, _): PubNubReplyEncoder.revoked
        case (.keysGranted, .grantKeys(let request)):
            PubNubReplyEncoder.granted(request, in: context.keyset.subscribeKey)
        default: preconditionFailure("A request was answered with another's reply.")
        }
    }

    /// The answer to a request that waited for presence.
    static func answer(_ reply: PresenceReply, in context: PubNubContext) -> HTTPResponse {
        switch (reply, context.request.endpoint) {
        case (.done, .setState(_, _, _, let state)): PubNubReplyEncoder.stateSet(state)
        case (.done, .leave): PubNubReplyEncoder.left
        case (.done, _): PubNubReplyEncoder.beaten
        case (.refused(let refusal), _): refused(refusal, in: context)
        case (.states(let states), .state(let channels, let groups, let userID)):
            if channels.count == 1, groups.isEmpty, let only = states.first {
                PubNubReplyEncoder.state(only.state, of: userID, in: only.channel)
            } else {
                PubNubReplyEncoder.states(
                    states.map { ($0.channel, $0.state ?? "{}") }, of: userID)
            }
        case (.occupancy(let occupancies), .hereNow(let census)):
            hereNow(occupancies, for: census)
        case (.survey(let survey), .hereNow(let census)):
            PubNubReplyEncoder.hereNow(
                census, survey.channels, totalChannels: survey.channelCount,
                totalOccupancy: survey.occupancy)
        case (.channels(let channels), .whereNow):
            PubNubReplyEncoder.whereNow(Operations.visible(channels, to: context))
        default: preconditionFailure("A request was answered with another's reply.")
        }
    }
}
