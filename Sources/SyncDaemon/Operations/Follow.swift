// follow and unfollow: all channels of a group or wildcard, as if each had been named.

import EventModel

extension Operations {
    static func follow(
        _ request: FollowRequest, for caller: SessionCaller
    ) -> OperationOutcome {
        let session = caller.session
        let selections = session.selections
        guard
            selections[request.selection] != nil
                || selections.count < Limits.selectionsPerSessionMax
        else {
            return .refused(
                .tooManyChannels(
                    Limits.selectionsPerSessionMax, "groups and wildcards", per: "session",
                    or: "unfollow some"))
        }
        let (mode, since) = start(of: request, for: caller)
        let now = caller.engine.wallTime
        let place = request.selection.place(
            having: .reading(request.actions, after: since, at: now))
        if let error = caller.refusal(of: Need(places: [place])) { return .refused(error) }
        let pace = Pace(
            wish: request.batchMilliseconds, coalesces: request.coalesces,
            actions: request.actions)
        return .done(
            .followed(
                caller.hub.selections.follow(
                    session, request, in: caller.keyset.subscribeKey, pace: pace, mode,
                    since: since)))
    }

    /// How channels begin of which the device may have something.
    private static func start(
        of request: FollowRequest, for caller: SessionCaller
    ) -> (SubscribedChannel.Mode, Timetoken?) {
        guard let cursor = request.cursor else { return (.current, nil) }
        let floor = max(caller.engine.deletionFloor, caller.engine.tombstoneFloor)
        switch caller.engine.judge(cursor, of: request.epoch) {
        case .known where cursor == .zero || cursor >= floor: return (.delta, cursor)
        // What the device has may be wrong: it gets everything, and compares.
        case .known, .foreign, .beyond: return (.snapshot, .zero)
        }
    }

    static func unfollow(
        _ selection: Selection, for caller: SessionCaller
    ) -> OperationOutcome {
        caller.hub.selections.unfollow(caller.session, selection)
        return .done(.unfollowed)
    }
}

extension Selection {
    /// Where a right is needed to follow it: one on a group is one on all that is in it.
    func place(having rights: Rights) -> Need.Place {
        switch kind {
        case .group: Need.Place(kind: .group, name: name, rights: rights)
        case .wildcard: Need.Place(kind: .channel, name: name, rights: rights)
        }
    }
}

extension SessionCaller {
    /// Whether the caller may follow a channel without any selection of the session's: else it ends
    /// with that.
    func isOwn(_ channel: String) -> Bool {
        session.selections.isEmpty || allows(.having(.read, on: [channel]))
    }

    /// Why the caller may not have what an operation needs.
    ///
    /// - Parameter isFollowing: Whether it is to follow channels: then, where a right on a channel
    ///   is lacking, one on a selection that the session follows is as good. What is followed so
    ///   ends with the selection.
    func refusal(of need: Need, isFollowing: Bool) -> ProtocolError? {
        let lacking =
            session.selections.isEmpty || !isFollowing ? [] : Set(self.lacking(need))
        guard !lacking.isEmpty else { return refusal(of: need) }
        var selected = need
        selected.places = need.places.map { place in
            guard place.kind == .channel, lacking.contains(place),
                place.rights.isSubset(of: [.read, .history]),
                let selection = hub.selections.selection(
                    over: channel(place.name), of: session)
            else { return place }
            return selection.place(having: place.rights)
        }
        return refusal(of: selected)
    }
}
