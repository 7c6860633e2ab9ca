// Who is in which channel, as those see it who follow the announcements, and as it should be.

import EventModel

@testable import SyncDaemon

/// Compares what presence announces with what it was told.
struct PresenceWitness {
    private struct Place: Hashable {
        let channel: String
        let userID: String
    }

    /// Since when a user is said to be in a channel.
    private var announced: [String: Set<String>] = [:]
    /// When the last beat of each lapses, in milliseconds; 0: they left.
    private var lapses: [Place: UInt64] = [:]

    /// From a fact to its announcement: the outbox's half second, a step of the wheel, a sleep.
    private static let delay: UInt64 = 500 + 250 + 1500

    /// The least that pollers promise with a beat, in milliseconds.
    private static let promised: UInt64 = 20_000

    /// The daemon starts, and knows nobody.
    mutating func begin() {
        self = PresenceWitness()
    }

    /// Presence is told something.
    mutating func see(_ request: PresenceRequest, at milliseconds: UInt64) {
        switch request.operation {
        case .beat(let channels, let seconds, _, _):
            guard let seconds else { return }
            for channel in channels.joined() where Presence.canHoldUsers(channel) {
                lapses[Place(channel: channel, userID: request.member.userID)] =
                    milliseconds + UInt64(seconds) * 1000
            }
        case .leave(let channels):
            for channel in channels {
                let place = Place(channel: channel, userID: request.member.userID)
                if lapses[place] != nil { lapses[place] = 0 }
            }
        default: break
        }
    }

    /// Reactors are told of an event.
    mutating func see(_ event: Envelope, at milliseconds: UInt64) -> String? {
        guard case .presence(let notice) = event.event, let userID = notice.userID else {
            return nil
        }
        let name = String(event.channel.name.dropLast(Channel.presenceSuffix.count))
        let lapse = lapses[Place(channel: name, userID: userID)]
        switch notice.action {
        case .join:
            guard announced[name, default: []].insert(userID).inserted else {
                return "\(userID) joined \(name) twice"
            }
            if lapse == nil { return "\(userID) joined \(name) and never came" }
        case .leave, .timeout:
            guard announced[name, default: []].remove(userID) != nil else {
                return "\(userID) went from \(name) and was not there"
            }
            if notice.action == .timeout, let lapse, lapse > milliseconds + 250 {
                // It may have come again before its going was announced.
                return announcedLate(lapse, milliseconds)
                    ? nil : "\(userID) timed out of \(name) too early"
            }
        default: return nil
        }
        let count = announced[name, default: []].count
        return notice.occupancy == count
            ? nil : "\(name) has \(count) users, and \(notice.occupancy) were announced"
    }

    private func announcedLate(_ lapse: UInt64, _ milliseconds: UInt64) -> Bool {
        // Its newest beat is younger than the delay of announcements.
        lapse >= milliseconds + Self.promised - Self.delay
    }

    /// Who should be in and was not announced, or the other way round.
    func differences(at milliseconds: UInt64) -> [String] {
        lapses.compactMap { place, lapse in
            let isIn = announced[place.channel, default: []].contains(place.userID)
            if isIn, lapse + Self.delay < milliseconds {
                return "\(place.userID) is gone from \(place.channel), and nobody was told"
            }
            // A beat that came a moment ago may be announced yet.
            if !isIn, lapse > milliseconds,
                lapse < milliseconds + Self.promised - Self.delay
            {
                return "\(place.userID) is in \(place.channel), and nobody was told"
            }
            return nil
        }
    }
}
