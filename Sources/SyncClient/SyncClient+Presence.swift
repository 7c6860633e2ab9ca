// Who is where, as a user asks the daemon.

public import EventModel

extension SyncClient {
    // MARK: Being somewhere

    /// Notes whether the user is in a channel while it is followed.
    func attend(_ channel: String, _ isPresent: Bool) {
        let presence = ExactText(Channel(channel).presence.name)
        if isPresent { attended.insert(presence) } else { attended.remove(presence) }
    }

    /// A subscription of the device's with what it does not know: where the user is to be seen.
    func attending(_ command: Command) -> Command {
        guard !attended.isEmpty, case .subscribe(var requests) = command else { return command }
        for index in requests.indices {
            let presence = Channel(requests[index].channel).presence
            requests[index].isPresent = attended.contains(ExactText(presence.name))
        }
        return .subscribe(requests)
    }

    /// Tells of who comes and goes; a presence channel that is followed by itself is the device's.
    func announcePresence(_ batch: Batch) {
        let name = batch.channel.name
        guard attended.contains(ExactText(name)), device.channel(name) == nil,
            !batch.envelopes.isEmpty
        else { return }
        emit(.announced(channel: name, batch.envelopes))
    }

    // MARK: Asking

    /// Reads a page of the users who are in a channel.
    public func hereNow(_ query: OccupancyQuery) async throws(SyncClientError) -> OccupancyPage {
        guard case .hereNow(let page) = try await perform(.hereNow(query)) else {
            throw Self.mismatch
        }
        return page
    }

    /// In which channels a user is, ascending.
    ///
    /// - Parameter userID: `nil`: the client's own.
    public func whereNow(
        _ userID: String? = nil
    ) async throws(SyncClientError) -> [String] {
        guard case .whereNow(let channels) = try await perform(.whereNow(userID: userID)) else {
            throw Self.mismatch
        }
        return channels
    }

    /// Says what others in a channel are to know of the user.
    ///
    /// - Parameter state: JSON text of an object, up to 4,096 bytes; `{}` takes it back.
    /// - Returns: It, without the blanks between values.
    @discardableResult
    public func setState(
        _ state: String, in channel: String
    ) async throws(SyncClientError) -> String {
        let command = Command.setState(channel: channel, state: state)
        guard case .state(let state) = try await perform(command) else { throw Self.mismatch }
        return state
    }

    /// What is to be known of a user in a channel: JSON text of an object, `{}` for nothing.
    ///
    /// - Parameter userID: `nil`: the client's own.
    public func state(
        of userID: String? = nil, in channel: String
    ) async throws(SyncClientError) -> String {
        let command = Command.getState(channel: channel, userID: userID)
        guard case .state(let state) = try await perform(command) else { throw Self.mismatch }
        return state
    }
}
