// What an SDK's request may touch, and how its answer gets back.

import EventModel

/// One request of an SDK, being carried out on its connection's reactor.
struct PubNubContext: Caller {
    let request: PubNubRequest
    let keyset: Keyset
    let origin: Origin
    let hub: Hub

    var engine: any Engine { hub.engine }

    /// The members of a group as channel names, ascending.
    func channels(of group: String) -> [String] {
        engine.groups.channels(of: ChannelGroup(group, keyset: keyset.subscribeKey))
    }

    /// Names and the members of groups, each once.
    func resolved(_ channels: [String], _ groups: [String]) -> [String] {
        guard !groups.isEmpty else { return channels }
        var seen: Set<ExactText> = []
        return (channels + groups.flatMap { self.channels(of: $0) }).filter {
            seen.insert(ExactText($0)).inserted
        }
    }

    /// Who asks; SDKs have no device.
    var author: Author {
        Author(keyset: keyset.subscribeKey, userID: request.userID, deviceID: "")
    }

    var publishKey: String? { request.publishKey }

    func ask(_ request: ReadRequest) -> Bool { engine.ask(request) }

    /// A refusal of the daemon in the words of the endpoint.
    func refusal(_ error: ProtocolError) -> HTTPResponse {
        PubNubError(error, for: request.endpoint, at: wallTime).response
    }

    /// For errors, which carry a time that means nothing.
    var wallTime: Timetoken { Timetoken(rawValue: engine.wallTicks()) }
}
