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
        guard requests.allSatisfy({ canStart($0, in: context) }) else {
            return .failure(.storeDamaged)
        }
        return .success(.subscribed(requests.map { start($0, in: context) }))
    }

    /// Whether the device can be brought up to date, as far as is known.
    ///
    /// Else its connection would be closed each time, with all its other channels.
    private static func canStart(_ request: SubscribeRequest, in context: CommandContext) -> Bool {
        guard let cursor = request.cursor else { return true }
        let start: Timetoken
        switch context.engine.judge(cursor, request.epoch) {
        case .foreign: start = .zero
        case .beyond(let end): start = end
        case .known: start = cursor
        }
        return context.engine.canRead(context.channel(request.channel), start)
    }

    private static func start(
        _ request: SubscribeRequest, in context: CommandContext
    ) -> SubscribedChannel {
        guard let cursor = request.cursor else {
            let channel = context.channel(request.channel)
            context.hub.subscribe(context.session, to: channel, from: nil, pace: request.pace)
            return reply(to: request, .current, context.hub.freshCursor(in: channel), in: context)
        }
        let deletionFloor = context.engine.deletionFloor()
        switch context.engine.judge(cursor, request.epoch) {
        case .foreign, .beyond(.zero): return follow(request, .snapshot, from: .zero, in: context)
        // What was deleted after it may be forgotten.
        case .beyond(let end) where end < deletionFloor:
            return follow(request, .snapshot, from: .zero, in: context)
        // An older copy of the store was put back: both agree up to `end`.
        case .beyond(let end): return hold(request, at: end, in: context)
        case .known: break
        }
        if cursor > .zero, cursor < deletionFloor {
            return follow(request, .snapshot, from: .zero, in: context)
        }
        // What was removed between the cursor and the floor may be forgotten.
        let isOld = cursor > .zero && cursor < context.engine.tombstoneFloor()
        if isOld || request.asksForRepair { return hold(request, at: cursor, in: context) }
        return follow(request, .delta, from: cursor, in: context)
    }

    /// Sends what comes after a cursor of this store.
    ///
    /// - Parameter mode: How it starts, unless the device turns out to be up to date.
    private static func follow(
        _ request: SubscribeRequest, _ mode: SubscribedChannel.Mode, from cursor: Timetoken,
        in context: CommandContext
    ) -> SubscribedChannel {
        let (hub, channel) = (context.hub, context.channel(request.channel))
        let hasMissed = hub.subscribe(
            context.session, to: channel, from: cursor, pace: request.pace)
        guard !hasMissed else { return reply(to: request, mode, cursor, in: context) }
        let state = hub.state(of: channel, at: cursor)
        if let base = request.base, let state, base != state, mode != .snapshot {
            return hold(request, at: cursor, in: context)
        }
        if state == nil { context.session.subscriptions[channel].map(hub.tellState) }
        let quietMode = mode == .snapshot ? mode : .current
        return reply(to: request, quietMode, cursor, state: state, in: context)
    }

    private static func hold(
        _ request: SubscribeRequest, at cursor: Timetoken, in context: CommandContext
    ) -> SubscribedChannel {
        context.hub.hold(
            context.session, on: context.channel(request.channel), at: cursor, pace: request.pace)
        return reply(to: request, .repair, cursor, in: context)
    }

    private static func reply(
        to request: SubscribeRequest, _ mode: SubscribedChannel.Mode, _ cursor: Timetoken,
        state: Digest? = nil, in context: CommandContext
    ) -> SubscribedChannel {
        SubscribedChannel(
            channel: request.channel, mode: mode, cursor: cursor,
            key: context.engine.digestKey(context.channel(request.channel)), state: state)
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

extension SubscribeRequest {
    fileprivate var pace: Pace { Pace(wish: batchMilliseconds, coalesces: coalesces) }
}
