// What a user makes of single messages that stand, and a moderator of what others said.

public import EventModel

extension SyncClient {
    /// Gives a message of the user's own another text.
    ///
    /// - Parameter payload: Any JSON value.
    /// - Returns: The action that says so, and whether it was the newest already.
    @discardableResult
    public func editMessage(
        _ message: Timetoken, payload: String, in channel: String, mutation: String? = nil
    ) async throws(SyncClientError) -> (action: MessageAction, applied: Addition) {
        let request = EditRequest(
            channel: channel, messageTimetoken: message, payload: try Self.compact(payload),
            mutation: mutation ?? nextMutation())
        guard case .actionAdded(let action, let applied) = try await perform(.editMessage(request))
        else { throw Self.mismatch }
        return (action, applied)
    }

    /// Deletes a message of the user's own, with the actions on it.
    ///
    /// - Returns: The deletion's own place in the order; `nil` when the message was not there.
    @discardableResult
    public func deleteMessage(
        _ message: Timetoken, in channel: String, mutation: String? = nil
    ) async throws(SyncClientError) -> Timetoken? {
        let request = OwnDeletionRequest(
            channel: channel, messageTimetoken: message, mutation: mutation ?? nextMutation())
        guard case .messageDeleted(let timetoken) = try await perform(.deleteMessage(request))
        else { throw Self.mismatch }
        return timetoken
    }

    /// Removes actions, whoever added them: the user needs the right to moderate.
    ///
    /// What the user wished and the server has not confirmed stays a wish: it comes after this.
    ///
    /// - Parameter clearing: Names a message, a value or a user, or several of these.
    /// - Returns: How many are gone.
    @discardableResult
    public func removeActions(
        _ clearing: Clearing, in channel: String, mutation: String? = nil
    ) async throws(SyncClientError) -> Int {
        let request = ClearingRequest(
            channel: channel, clearing: clearing, mutation: mutation ?? nextMutation())
        guard case .actionsCleared(_, let count) = try await perform(.removeActions(request))
        else { throw Self.mismatch }
        return count
    }

    func edit(
        _ message: Timetoken, payload: String, in channel: String
    ) throws(SyncClientError) {
        let compact = try Self.compact(payload)
        let value: String?
        do throws(EditFault) {
            value = try device.value(editing: message, to: compact, in: channel)
        } catch {
            throw .refused(ProtocolError(error))
        }
        guard let value else { return }
        try wish(
            value, type: MessageVersion.editedType, isPresent: true, on: message, in: channel)
    }
}

extension ProtocolError {
    /// In the daemon's words, which would come later.
    fileprivate init(_ fault: EditFault) {
        switch fault {
        case .noSuchMessage:
            self.init(
                status: 404, code: "no_such_message",
                message: "The device has no message with this timetoken in the channel.")
        case .notOwner:
            self.init(
                status: 403, code: "not_owner",
                message: "The message is another user's: only its author changes it.")
        }
    }
}
