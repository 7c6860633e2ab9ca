// Who is where by a session of a daemon that follows: when its link ends, somebody has to say that
// they are gone.

import EventModel

/// What sessions of one daemon said of presence, and did not take back.
struct LinkAttendance {
    private struct Place: Hashable {
        let source: PresenceSource
        let member: Presence.Member
    }

    private var places: [Place: Set<ExactText>] = [:]

    /// Hears what presence is asked.
    mutating func hear(_ request: PresenceRequest) {
        let place = Place(source: request.source, member: request.member)
        switch request.operation {
        case .enter(let channels, _):
            places[place, default: []].formUnion(channels.lazy.map { ExactText($0) })
        case .exit(let channels, _):
            for channel in channels { places[place]?.remove(ExactText(channel)) }
            if places[place]?.isEmpty == true { places[place] = nil }
        default: break
        }
    }

    /// What presence has to hear once their connections are cut.
    var exits: [PresenceRequest] {
        places.map { place, channels in
            PresenceRequest(
                member: place.member,
                operation: .exit(channels: channels.map(\.string), isCut: true), origin: nil,
                source: place.source)
        }
    }
}
