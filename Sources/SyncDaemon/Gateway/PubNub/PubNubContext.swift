// What an SDK's request may touch, and how its answer gets back.

import EventModel

/// One request of an SDK, being carried out on its connection's reactor.
struct PubNubContext {
    let request: PubNubRequest
    let keyset: Keyset
    let origin: Origin
    let hub: Hub
    let engine: Engine

    /// The channel that a client's name stands for: names are per keyset.
    func channel(_ name: String) -> Channel {
        Channel(name, keyset: keyset.subscribeKey)
    }

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

    // MARK: Answers that come later

    /// Sends a change on its way; its answer comes with a commit.
    func submit(_ operation: Write.Operation, in channel: String) -> HTTPResponse? {
        let write = Write(
            origin: origin, author: author, channel: self.channel(channel), operation: operation,
            mutation: nil)
        return engine.submit(write) ? nil : refusal(.overloaded)
    }

    /// Sends an event that is not stored to its place in the order.
    func announce(_ event: Event, in channel: String) -> HTTPResponse? {
        let announcement = Announcement(
            channel: self.channel(channel), uuid: request.userID, event: event, origin: origin)
        switch engine.announce(announcement) {
        case .at(let timetoken): return PubNubReplyEncoder.published(timetoken)
        case .waits: return nil
        case .refused: return refusal(.overloaded)
        }
    }

    /// Sends a question to a reader.
    func ask(_ query: ReadRequest.Query, about channel: String) -> HTTPResponse? {
        let question = ReadRequest(
            asker: .client(origin), channel: self.channel(channel), query: query)
        return engine.ask(question) ? nil : refusal(.overloaded)
    }

    /// Asks presence.
    func ask(_ operation: PresenceRequest.Operation, of userID: String? = nil) -> HTTPResponse? {
        let request = PresenceRequest(
            member: member(userID ?? request.userID), operation: operation, origin: origin)
        return engine.askPresence(request) ? nil : refusal(.overloaded)
    }

    /// Tells presence something that nobody waits for.
    func tell(_ operation: PresenceRequest.Operation) {
        // When too much waits the next beat makes up for this one.
        _ = engine.askPresence(
            PresenceRequest(
                member: member(request.userID), operation: operation, origin: nil))
    }

    /// A refusal of the daemon in the words of the endpoint.
    func refusal(_ error: ProtocolError) -> HTTPResponse {
        PubNubError(error, for: request.endpoint, at: wallTime).response
    }

    /// For errors, which carry a time that means nothing.
    var wallTime: Timetoken { Timetoken(rawValue: engine.wallTicks()) }

    private func member(_ userID: String) -> Presence.Member {
        Presence.Member(userID: userID, keyset: keyset.subscribeKey)
    }
}
