// Who is where, as a user asks the daemon.

public import EventModel

extension SyncClient {
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
