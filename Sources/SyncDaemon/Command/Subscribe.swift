// subscribe and unsubscribe: following channels, from now or from where the device stopped.

import EventModel

extension CommandRouter {
    static func subscribe(
        _ requests: [SubscribeRequest], in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        let session = context.session
        let new = Set(requests.map { context.channel($0.channel) }).filter {
            session.subscriptions[$0] == nil
        }
        guard session.subscriptions.count + new.count <= Limits.channelsPerSessionMax else {
            return .failure(.tooManyChannels(Limits.channelsPerSessionMax, per: "session"))
        }
        return .success(.subscribed(requests.map { start($0, in: context) }))
    }

    private static func start(
        _ request: SubscribeRequest, in context: CommandContext
    ) -> SubscribedChannel {
        let channel = context.channel(request.channel)
        let pace = Pace(wish: request.batchMilliseconds, coalesces: request.coalesces)
        guard let cursor = request.cursor else {
            context.hub.subscribe(context.session, to: channel, from: nil, pace: pace)
            return SubscribedChannel(
                channel: request.channel, mode: .current,
                cursor: context.hub.freshCursor(in: channel))
        }
        // Another store's cursor means nothing here; and a cursor ahead of this store was issued
        // before it was replaced by an older copy of itself. Either way what the device holds
        // cannot be trusted.
        if context.engine.judge(cursor, request.epoch) != .known {
            context.hub.subscribe(context.session, to: channel, from: .zero, pace: pace)
            return SubscribedChannel(channel: request.channel, mode: .snapshot, cursor: .zero)
        }
        let hasMissed = context.hub.subscribe(
            context.session, to: channel, from: cursor, pace: pace)
        return SubscribedChannel(
            channel: request.channel, mode: hasMissed ? .delta : .current, cursor: cursor)
    }

    static func unsubscribe(
        _ channels: [String], in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        for name in channels {
            context.hub.unsubscribe(context.session, from: context.channel(name))
        }
        return .success(.unsubscribed(channels: channels))
    }
}
