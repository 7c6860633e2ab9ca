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
        json.name("action")
        json.string("leave")
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
                json.name("payload")
                json.beginObject()
                json.name("channels")
                json.beginObject()
                for occupancy in occupancies where occupancy.count > 0 {
                    json.name(escaping: occupancy.channel)
                    json.beginObject()
                    json.members(of: occupancy, for: census)
                    json.endObject()
                }
                json.endObject()
                json.name("total_channels")
                json.integer(totalChannels)
                json.name("total_occupancy")
                json.integer(totalOccupancy)
                json.endObject()
            }
            json.endPresence()
        }
    }

    static func whereNow(_ channels: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.name("payload")
            json.beginObject()
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
            json.name("payload")
            json.raw(state ?? "{}")
            json.name("uuid")
            json.string(userID)
            json.name("channel")
            json.string(channel)
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
            json.name("payload")
            json.beginObject()
            json.name("channels")
            json.beginObject()
            for (channel, state) in states {
                json.name(escaping: channel)
                json.raw(state)
            }
            json.endObject()
            json.endObject()
            json.name("uuid")
            json.string(userID)
            json.endPresence()
        }
    }

    /// - Parameter state: Compact JSON text of an object.
    static func stateSet(_ state: String) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginPresence()
            json.name("payload")
            json.raw(state)
            json.endPresence()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func beginPresence() {
        name("status")
        integer(200)
        name("message")
        string("OK")
    }

    fileprivate mutating func endPresence() {
        name("service")
        string("Presence")
        endObject()
    }

    fileprivate mutating func members(
        of occupancy: Occupancy, for census: PubNubRequest.Census
    ) {
        name("occupancy")
        integer(occupancy.count)
        guard census.includesUsers else { return }
        name("uuids")
        guard census.includesState else { return strings(occupancy.users.map(\.userID)) }
        beginArray()
        for user in occupancy.users {
            beginObject()
            name("uuid")
            string(user.userID)
            if let state = user.state {
                name("state")
                raw(state)
            }
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
        json.name("status")
        json.integer(200)
        json.name("message")
        json.string("OK")
        json.endGroups()
    }

    static func group(_ name: String, channels: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.name("status")
            json.integer(200)
            json.name("payload")
            json.beginObject()
            json.name("channels")
            json.strings(channels)
            json.name("group")
            json.string(name)
            json.endObject()
            json.endGroups()
        }
    }

    static func groups(_ names: [String]) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.name("status")
            json.integer(200)
            json.name("payload")
            json.beginObject()
            json.name("namespace")
            json.string("")
            json.name("groups")
            json.strings(names)
            json.endObject()
            json.endGroups()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func endGroups() {
        name("service")
        string("channel-registry")
        name("error")
        bool(false)
        endObject()
    }
}
