// Answers about who is where, and about channel groups.

import EventModel
import JSON

extension PubNubReplyEncoder {
    static let beaten = response { json in
        json.beginObject()
        json.beginPresence()
        json.endPresence()
    }

    static let left = response { json in
        json.beginObject()
        json.beginPresence()
        json.member("action", "leave")
        json.endPresence()
    }

    /// Who is in the channels that were asked for.
    ///
    /// - Parameters:
    ///   - occupancies: Those of the channels where somebody is; others are left out.
    ///   - totalChannels: How many those are.
    ///   - totalOccupancy: How many users those have together.
    static func hereNow(
        _ census: PubNubRequest.Census, _ occupancies: [Occupancy], totalChannels: Int,
        totalOccupancy: Int
    ) -> HTTPResponse {
        response(reserving: 4096) { json in
            json.beginObject()
            json.beginPresence()
            if census.channels.count == 1, census.groups.isEmpty {
                let occupancy =
                    occupancies.first ?? Occupancy(channel: census.channels[0], count: 0)
                json.members(of: occupancy, for: census)
            } else {
                json.beginObject("payload")
                json.beginObject("channels")
                for occupancy in occupancies where occupancy.count > 0 {
                    json.name(escaping: occupancy.channel)
                    json.beginObject()
                    json.members(of: occupancy, for: census)
                    json.endObject()
                }
                json.endObject()
                json.member("total_channels", totalChannels)
                json.member("total_occupancy", totalOccupancy)
                json.endObject()
            }
            json.endPresence()
        }
    }

    static func whereNow(_ channels: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.beginObject("payload")
            json.name("channels")
            json.strings(channels)
            json.endObject()
            json.endPresence()
        }
    }

    /// A user's state in the one channel that was asked for.
    ///
    /// - Parameter state: Compact JSON text of an object; `nil` when none was set.
    static func state(_ state: String?, of userID: String, in channel: String) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.member("payload", raw: state ?? "{}")
            json.member("uuid", userID)
            json.member("channel", channel)
            json.endPresence()
        }
    }

    /// A user's states where several channels, or a group, were asked for.
    static func states(
        _ states: [(channel: String, state: String)], of userID: String
    ) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.beginObject("payload")
            json.beginObject("channels")
            for (channel, state) in states {
                json.name(escaping: channel)
                json.raw(state)
            }
            json.endObject()
            json.endObject()
            json.member("uuid", userID)
            json.endPresence()
        }
    }

    /// - Parameter state: Compact JSON text of an object.
    static func stateSet(_ state: String) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.member("payload", raw: state)
            json.endPresence()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func beginPresence() {
        member("status", 200)
        member("message", "OK")
    }

    fileprivate mutating func endPresence() {
        member("service", "Presence")
        endObject()
    }

    fileprivate mutating func members(
        of occupancy: Occupancy, for census: PubNubRequest.Census
    ) {
        member("occupancy", occupancy.count)
        guard census.includesUsers else { return }
        name("uuids")
        guard census.includesState else { return strings(occupancy.users.map(\.userID)) }
        beginArray()
        for user in occupancy.users {
            beginObject()
            member("uuid", user.userID)
            member("state", raw: user.state)
            endObject()
        }
        endArray()
    }
}

// MARK: Channel groups

extension PubNubReplyEncoder {
    /// Channels were added or removed, or the group was deleted.
    static let groupChanged = response { json in
        json.beginObject()
        json.member("status", 200)
        json.member("message", "OK")
        json.endGroups()
    }

    static func group(_ name: String, channels: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.member("status", 200)
            json.beginObject("payload")
            json.name("channels")
            json.strings(channels)
            json.member("group", name)
            json.endObject()
            json.endGroups()
        }
    }

    static func groups(_ names: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.member("status", 200)
            json.beginObject("payload")
            json.member("namespace", "")
            json.name("groups")
            json.strings(names)
            json.endObject()
            json.endGroups()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func endGroups() {
        member("service", "channel-registry")
        member("error", false)
        endObject()
    }
}
