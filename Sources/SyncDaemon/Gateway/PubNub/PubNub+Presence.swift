// Heartbeats and here-now of an SDK: who is where.

import EventModel

extension PubNubRouter {
    static func hereNow(
        _ census: PubNubRequest.Census, in context: PubNubContext
    ) -> OperationOutcome {
        let page = Presence.Page(
            includesUsers: census.includesUsers, includesState: census.includesState,
            limit: census.limit, offset: census.offset)
        guard !census.channels.isEmpty || !census.groups.isEmpty else {
            return Operations.presence(.survey(page), for: context)
        }
        let channels = context.resolved(census.channels, census.groups)
        return Operations.presence(.occupancy(channels: channels, page), for: context)
    }

    /// Whoever could come may go, also when the right to come is gone.
    ///
    /// A token that names nobody might be anybody's: with it nobody goes from where it says nothing
    /// of presence.
    static func leave(
        _ channels: [String], _ groups: [String], in context: PubNubContext
    ) -> OperationOutcome {
        let places = Need.having(.presence, on: channels, groups: groups)
        let hidden = Need(places: context.credential.namesUser ? [] : context.lacking(places))
        let left = context.resolved(
            Operations.without(hidden.channels, of: channels),
            Operations.without(hidden.groups, of: groups))
        return Operations.presence(.leave(channels: left), for: context)
    }

    /// What presence must know of a beat: channels instead of groups.
    static func beat(
        _ beat: PubNubRequest.Beat, isPoll: Bool = false, in context: PubNubContext
    ) -> PresenceRequest.Operation {
        var states: [ExactText: String] = [:]
        let groups = Set(beat.groups.map { ExactText($0) })
        for (name, state) in beat.states {
            // A state given for a group is one for each of its channels.
            let isGroup = groups.contains(ExactText(name))
            let channels = isGroup ? context.channels(of: name) : [name]
            for channel in channels { states[ExactText(channel)] = state }
        }
        return .beat(
            channels: [beat.channels] + beat.groups.map { context.channels(of: $0) },
            seconds: beat.seconds, isPoll: isPoll, states: states)
    }

    /// The answer about named channels; several leave out those where nobody is.
    static func hereNow(
        _ occupancies: [Occupancy], for census: PubNubRequest.Census
    ) -> HTTPResponse {
        let isSingle = census.channels.count == 1 && census.groups.isEmpty
        let shown = isSingle ? occupancies : occupancies.filter { $0.count > 0 }
        return PubNubReplyEncoder.hereNow(
            census, shown, totalChannels: shown.count,
            totalOccupancy: shown.reduce(0) { $0 + $1.count })
    }

    static func refused(
        _ refusal: Presence.Refusal, in context: PubNubContext
    ) -> HTTPResponse {
        switch refusal {
        case .stateTooLong:
            PubNubError.invalid(
                "A state has at most \(Limits.presenceStateBytesMax) bytes.", .presence
            ).response
        case .tooManyChannels:
            PubNubError.invalid(
                "A user is in at most \(Limits.presenceChannelsPerUserMax) channels. Leave some.",
                .presence
            ).response
        case .quotaExceeded, .tooManyMemberships, .tooMuchState, .tooManyAnnouncements:
            context.refusal(
                ProtocolError(refusal, of: context.accounts.account(of: context.keyset)))
        }
    }
}
