// subscribe and unsubscribe: following channels, from now or from where the device stopped.

import EventModel

extension Operations {
    static func subscribe(
        _ requests: [SubscribeRequest], for caller: SessionCaller
    ) -> OperationOutcome {
        let session = caller.session
        let new = Set(requests.flatMap { $0.followed(by: caller) }).filter {
            session.subscriptions[$0] == nil
        }
        guard session.subscriptions.count + new.count <= Limits.channelsPerSessionMax else {
            return .refused(.tooManyChannels(Limits.channelsPerSessionMax, per: "session"))
        }
        if let error = caller.refusal(following: new.count, besides: session.subscriptions.count) {
            return .refused(error)
        }
        guard requests.allSatisfy({ canStart($0, for: caller) }) else {
            return .refused(.storeDamaged)
        }
        if let error = requests.lazy.compactMap({ refusal(of: $0, for: caller) }).first {
            return .refused(error)
        }
        if let error = enter(requests, for: caller) { return .refused(error) }
        return .done(.subscribed(requests.map { start($0, for: caller) }))
    }

    /// Has the caller's user be where they want to be seen, and nowhere else of these.
    ///
    /// Before anything is followed: there may be no room for it.
    private static func enter(
        _ requests: [SubscribeRequest], for caller: SessionCaller
    ) -> ProtocolError? {
        let (session, attendance) = (caller.session, caller.hub.attendance)
        let present = requests.filter(\.isPresent)
        if !present.isEmpty {
            guard attendance.mayEnter else { return .overloaded }
            let states = present.compactMap { request in
                request.state.map { (ExactText(request.channel), $0) }
            }
            let names = present.map(\.channel)
            let entering = PresenceRequest.Operation.enter(
                channels: names, states: Dictionary(states) { $1 })
            if case .refused(let error) = presence(entering, for: caller) { return error }
            attendance.entered(session, names)
        }
        // One that is named twice is followed with presence when one of the two asks for it.
        let seen = Set(present.map { ExactText($0.channel) })
        stopAttending(
            requests.map(\.channel).filter { !seen.contains(ExactText($0)) }, for: caller)
        return nil
    }

    /// Has the caller's user leave those of these channels where they are.
    private static func stopAttending(_ channels: [String], for caller: SessionCaller) {
        for name in caller.hub.attendance.leave(caller.session, channels) {
            caller.hub.unsubscribe(caller.session, from: caller.channel(name).presence)
        }
    }

    /// Why the caller may not have what this start brings: who is sent the past, because it has
    /// nothing of this store or wants its reactions repaired, reads history.
    private static func refusal(
        of request: SubscribeRequest, for caller: SessionCaller
    ) -> ProtocolError? {
        guard let cursor = request.cursor else { return nil }
        let now = caller.engine.wallTime
        var start = cursor
        switch caller.engine.judge(cursor, of: request.epoch) {
        case .foreign: start = .zero
        case .beyond: start = .zero
        case .known:
            let lacksDeletions = cursor < caller.engine.deletionFloor
            let lacksRemovals = cursor < caller.engine.tombstoneFloor && request.actions != .none
            if request.asksForRepair || lacksDeletions || lacksRemovals { start = .zero }
        }
        let place = Need.Place(
            kind: .channel, name: request.channel, rights: .reading(after: start, at: now))
        return caller.refusal(of: Need(places: [place]), isFollowing: true)
    }

    /// Whether the device can be brought up to date, as far as is known.
    ///
    /// Else its connection would be closed each time, with all its other channels.
    private static func canStart(_ request: SubscribeRequest, for caller: SessionCaller) -> Bool {
        guard let cursor = request.cursor else { return true }
        let start: Timetoken
        switch caller.engine.judge(cursor, of: request.epoch) {
        case .foreign: start = .zero
        case .beyond(let end): start = end
        case .known: start = cursor
        }
        return caller.engine.canRead(caller.channel(request.channel), after: start)
    }

    private static func start(
        _ request: SubscribeRequest, for caller: SessionCaller
    ) -> SubscribedChannel {
        let presence = caller.channel(request.channel).presence
        // Once: nothing of it is stored that a second start could bring.
        if request.isPresent, caller.session.subscriptions[presence] == nil {
            caller.hub.subscribe(caller.session, to: presence, from: nil, pace: request.pace)
        }
        count(request, for: caller)
        guard let cursor = request.cursor else { return begin(request, .current, for: caller) }
        let deletionFloor = caller.engine.deletionFloor
        let isRepairable = request.actions == .rows
        switch caller.engine.judge(cursor, of: request.epoch) {
        // Pages cost less than to find out how a part differs.
        case .foreign where request.window != nil, .beyond where request.window != nil:
            return begin(request, .window, for: caller)
        case .foreign, .beyond(.zero): return follow(request, .snapshot, from: .zero, for: caller)
        // Without rows there is nothing to repair, and messages after `end` may be too many.
        case .beyond where !isRepairable:
            return follow(request, .snapshot, from: .zero, for: caller)
        // An older copy of the store was put back: both agree up to `end`.
        case .beyond(let end): return hold(request, at: end, for: caller)
        case .known: break
        }
        // What was removed or deleted between the cursor and a floor may be forgotten.
        let lacksDeletions = cursor > .zero && cursor < deletionFloor
        let lacksRemovals = cursor > .zero && cursor < caller.engine.tombstoneFloor
        if request.asksForRepair { caller.hub.counters.mismatches.add() }
        if isRepairable, request.asksForRepair || lacksDeletions || lacksRemovals {
            return request.window == nil
                ? hold(request, at: cursor, for: caller) : begin(request, .window, for: caller)
        }
        if lacksDeletions || lacksRemovals && request.actions == .summary {
            return follow(request, .snapshot, from: .zero, for: caller)
        }
        return follow(request, .delta, from: cursor, for: caller)
    }

    /// Counts who holds a part of the channel, and whose part was wrong: that device drops it, and
    /// asks anew without a cursor.
    private static func count(_ request: SubscribeRequest, for caller: SessionCaller) {
        guard request.window != nil else { return }
        caller.hub.counters.windows.add()
        let standing = caller.session.subscriptions[caller.channel(request.channel)]
        guard request.cursor == nil, standing?.window != nil else { return }
        caller.hub.counters.windowsRenewed.add()
    }

    /// Sends what happens from now on.
    private static func begin(
        _ request: SubscribeRequest, _ mode: SubscribedChannel.Mode, for caller: SessionCaller
    ) -> SubscribedChannel {
        let channel = caller.channel(request.channel)
        if mode == .window { caller.hub.counters.windowsRenewed.add() }
        caller.hub.subscribe(
            caller.session, to: channel, from: nil, pace: request.pace, window: request.window,
            isNamed: caller.isOwn(request.channel))
        return reply(to: request, mode, caller.hub.freshCursor(in: channel), for: caller)
    }

    /// Sends what comes after a cursor of this store.
    ///
    /// - Parameter mode: How it starts, unless the device turns out to be up to date.
    private static func follow(
        _ request: SubscribeRequest, _ mode: SubscribedChannel.Mode, from cursor: Timetoken,
        for caller: SessionCaller
    ) -> SubscribedChannel {
        let (hub, channel) = (caller.hub, caller.channel(request.channel))
        let hasMissed = hub.subscribe(
            caller.session, to: channel, from: cursor, pace: request.pace, window: request.window,
            isNamed: caller.isOwn(request.channel))
        guard !hasMissed else { return reply(to: request, mode, cursor, for: caller) }
        let state = hub.states.state(of: channel, at: cursor)
        if let base = request.base, let state, base != state, mode != .snapshot,
            request.actions == .rows
        {
            caller.hub.counters.mismatches.add()
            return request.window == nil
                ? hold(request, at: cursor, for: caller) : begin(request, .window, for: caller)
        }
        if state == nil { caller.session.subscriptions[channel].map(hub.states.tell) }
        let quietMode = mode == .snapshot ? mode : .current
        return reply(to: request, quietMode, cursor, state: state, for: caller)
    }

    private static func hold(
        _ request: SubscribeRequest, at cursor: Timetoken, for caller: SessionCaller
    ) -> SubscribedChannel {
        caller.hub.hold(
            caller.session, on: caller.channel(request.channel), at: cursor, pace: request.pace,
            isNamed: caller.isOwn(request.channel))
        var reply = reply(to: request, .repair, cursor, for: caller)
        let segmented = caller.hub.repairs.segmented
        if let base = request.base, base.count >= segmented.rowsMin {
            reply.segmentMessages = segmented.segmentMessages
        }
        return reply
    }

    private static func reply(
        to request: SubscribeRequest, _ mode: SubscribedChannel.Mode, _ cursor: Timetoken,
        state: Digest? = nil, for caller: SessionCaller
    ) -> SubscribedChannel {
        SubscribedChannel(
            channel: request.channel, mode: mode, cursor: cursor,
            key: request.actions == .none
                ? nil : caller.engine.digestKey(of: caller.channel(request.channel)),
            state: request.actions == .rows ? state : nil,
            rules: caller.settings(of: request.channel).reactions)
    }

    static func unsubscribe(
        _ channels: [String], for caller: SessionCaller
    ) -> OperationOutcome {
        stopAttending(channels, for: caller)
        for name in channels {
            caller.hub.unsubscribe(caller.session, from: caller.channel(name))
            caller.hub.selections.leave(caller.channel(name), of: caller.session)
        }
        return .done(.unsubscribed(channels: channels))
    }
}

extension SubscribeRequest {
    /// What is followed for it.
    fileprivate func followed(by caller: SessionCaller) -> [Channel] {
        let channel = caller.channel(channel)
        return isPresent ? [channel, channel.presence] : [channel]
    }

    fileprivate var pace: Pace {
        // The net effect does not say what a part's rest comes to.
        Pace(
            wish: batchMilliseconds, coalesces: coalesces && window == nil, actions: actions)
    }
}
