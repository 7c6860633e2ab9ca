// Commands about who is where.

import EventModel
import JSON

extension CommandDecoder {
    /// Whether an entry of `subscribe` asks for presence.
    static func isPresent(_ entry: borrowing JSONValue) throws(ProtocolError) -> Bool {
        let isPresent = try entry.read { (entry) throws(JSONError) in try entry.flag("presence") }
        guard isPresent || entry.member("state") == nil else {
            throw .invalidField("presence", #"true beside a "state""#)
        }
        let name = try entry.channelName("name")
        guard !isPresent || !Channel(name).isPresence else {
            throw .invalidField("presence", "asked for in the channel itself, not in \(name)")
        }
        return isPresent
    }

    static func ownState(_ json: borrowing JSONValue) throws(ProtocolError) -> Command {
        let channel = try json.channelName("channel")
        guard !Channel(channel).isPresence else { throw .invalidChannel }
        // Who means another one must not change their own.
        guard json.member("userId") == nil else {
            throw .invalidField("userId", "absent: everybody sets their own state")
        }
        return .setState(channel: channel, state: try json.userState())
    }

    static func occupancy(_ json: borrowing JSONValue) throws(ProtocolError) -> OccupancyQuery {
        OccupancyQuery(
            channel: try json.channelName("channel"),
            includesStates: try json.read { (json) throws(JSONError) in try json.flag("states") },
            limit: try json.optionalCount("limit", max: Limits.presencePageMax)
                ?? Limits.presencePageMax,
            offset: try json.optionalCount("offset", max: Int(Int32.max)) ?? 0)
    }
}

extension JSONValue {
    /// Whom a question is about; `nil`: who asks.
    func userID() throws(ProtocolError) -> String? {
        try optionalText("userId", bytesMax: Limits.identifierBytesMax)
    }

    /// The member `state`, as compact JSON text of an object.
    func userState() throws(ProtocolError) -> String {
        guard let state = member("state") else {
            throw ProtocolError(.missingField("state", expected: "an object"))
        }
        let text = state.compactText
        guard state.isObject, text.utf8.count <= Limits.presenceStateBytesMax else {
            throw .invalidField(
                "state", "an object of at most \(Limits.presenceStateBytesMax) bytes")
        }
        return text
    }
}
