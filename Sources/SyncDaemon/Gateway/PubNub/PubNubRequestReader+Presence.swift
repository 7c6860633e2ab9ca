// Heartbeats, who is where, and states.

import EventModel
import JSON

extension PubNubRequestReader {
    /// Whom a heartbeat or a subscribe makes present, and for how long.
    func beat() throws(PubNubError) -> PubNubRequest.Beat {
        let channels = try channels()
        let groups = try groups()
        try checkCount(channels.count + groups.count)
        return PubNubRequest.Beat(
            channels: channels.withoutPresence(), groups: groups.withoutPresence(),
            seconds: try integer(
                "heartbeat", in: Limits.presenceSecondsMin...Limits.presenceSecondsMax),
            states: try states())
    }

    /// States by channel or group, each an object.
    private func states() throws(PubNubError) -> [String: String] {
        guard let text = query["state"], !text.isEmpty else { return [:] }
        let object = try object(text)
        var states: [String: String] = [:]
        for (name, state) in object.members where !state.isNull {
            guard state.isObject else { throw .invalidJSON(family) }
            states[name] = state.compactText
        }
        return states
    }

    func census() throws(PubNubError) -> PubNubRequest.Census {
        let channels = try channels()
        let groups = try groups()
        try checkCount(channels.count + groups.count)
        guard route.path.index(of: "channels") == nil || !channels.isEmpty || !groups.isEmpty else {
            throw .invalid("Name a channel or a channel group.", family)
        }
        var census = PubNubRequest.Census(channels: channels, groups: groups)
        census.includesUsers = try !flag("disable_uuids")
        census.includesState = try flag("state")
        census.limit = try integer("limit", in: 0...census.limit) ?? census.limit
        census.offset = try integer("offset", in: 0...Int(Int32.max)) ?? 0
        return census
    }

    func setState() throws(PubNubError) -> PubNubRequest.Endpoint {
        let channels = try channels().withoutPresence()
        let groups = try groups().withoutPresence()
        try checkCount(channels.count + groups.count)
        guard let text = query["state"], !text.isEmpty else { throw .noState }
        return .setState(
            channels: channels, groups: groups, userID: try user(),
            state: try object(text).compactText)
    }
}
