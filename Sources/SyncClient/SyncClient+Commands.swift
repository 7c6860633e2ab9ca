// What a user asks of the daemon. Each call returns its typed reply or throws `SyncClientError`.

public import EventModel

extension SyncClient {
    /// Publishes a message.
    ///
    /// A `mutation` is only for a user who keeps unsent writes on disk; otherwise the client makes
    /// one.
    ///
    /// - Returns: The message's timetoken.
    @discardableResult
    public func publish(
        _ message: Message, to channel: String, mutation: String? = nil
    ) async throws(SyncClientError) -> Timetoken {
        let request = PublishRequest(
            channel: channel, message: message, mutation: mutation ?? nextMutation())
        guard case .published(let timetoken) = try await perform(.publish(request)) else {
            throw Self.mismatch
        }
        return timetoken
    }

    /// Sends a small message to whoever follows the channel now; nothing keeps it.
    ///
    /// Without a connection it throws ``SyncClientError/notConnected``: later it would be worth
    /// nothing.
    ///
    /// - Parameter message: Up to `Limits.signalBytesMax` bytes, without `meta`.
    /// - Returns: The signal's timetoken.
    @discardableResult
    public func signal(
        _ message: Message, to channel: String
    ) async throws(SyncClientError) -> Timetoken {
        let request = SignalRequest(channel: channel, message: message)
        guard case .published(let timetoken) = try await perform(.signal(request)) else {
            throw Self.mismatch
        }
        return timetoken
    }

    /// Adds an action, for example a reaction `👍`.
    ///
    /// The value is sent as it is; `ReactionValue.canonical(_:)` is for what people type.
    ///
    /// - Returns: The action that stands now, and whether it stood before.
    @discardableResult
    public func addAction(
        _ value: String, type: String = "reaction", score: Int? = nil,
        to messageTimetoken: Timetoken, in channel: String, mutation: String? = nil
    ) async throws(SyncClientError) -> (action: MessageAction, applied: Addition) {
        try Self.checkReaction(value, type: type, isNew: true, score: score)
        let request = ActionRequest(
            channel: channel, messageTimetoken: messageTimetoken, type: type, value: value,
            score: score, mutation: mutation ?? nextMutation())
        guard case .actionAdded(let action, let applied) = try await perform(.addAction(request))
        else { throw Self.mismatch }
        return (action, applied)
    }

    /// Removes the user's own action.
    ///
    /// `actionTimetoken` is that of the action that was seen; a newer one is kept. `nil`: any.
    @discardableResult
    public func removeAction(
        _ value: String, type: String = "reaction", from messageTimetoken: Timetoken,
        in channel: String, actionTimetoken: Timetoken? = nil, mutation: String? = nil
    ) async throws(SyncClientError) -> Removal {
        try Self.checkReaction(value, type: type, isNew: false)
        let request = ActionRequest(
            channel: channel, messageTimetoken: messageTimetoken, type: type, value: value,
            mutation: mutation ?? nextMutation())
        let removal = RemovalRequest(action: request, actionTimetoken: actionTimetoken)
        guard case .actionRemoved(let applied) = try await perform(.removeAction(removal)) else {
            throw Self.mismatch
        }
        return applied
    }

    /// Deletes the messages of a channel after one position and up to another, with the actions
    /// on them.
    ///
    /// - Returns: The deletion's own place in the order.
    @discardableResult
    public func deleteMessages(
        in channel: String, after start: Timetoken = .zero, through end: Timetoken,
        mutation: String? = nil
    ) async throws(SyncClientError) -> Timetoken {
        let request = DeletionRequest(
            channel: channel, after: start, through: end, mutation: mutation ?? nextMutation())
        guard case .messagesDeleted(let timetoken) = try await perform(.deleteMessages(request))
        else { throw Self.mismatch }
        return timetoken
    }

    /// Reads a page of messages.
    public func history(_ query: HistoryQuery) async throws(SyncClientError) -> HistoryPage {
        guard case .history(let page) = try await perform(.history(query)) else {
            throw Self.mismatch
        }
        return page
    }

    /// Reads a page of the actions that stand.
    public func actions(_ query: ActionsQuery) async throws(SyncClientError) -> ActionsPage {
        guard case .actions(let page) = try await perform(.actions(query)) else {
            throw Self.mismatch
        }
        return page
    }

    /// Sums up what people said of some messages, whoever holds their rows.
    ///
    /// - Parameters:
    ///   - messages: 1 to 100; with what the caller's own groups come to, only
    ///     if others are there now.
    ///   - channel: Of the messages.
    public func summaries(
        of messages: [SummariesQuery.Message], in channel: String
    ) async throws(SyncClientError) -> [MessageSummary] {
        var query = SummariesQuery(channel: channel, messages: messages)
        var found: [MessageSummary] = []
        while true {
            guard case .summaries(let page) = try await perform(.summaries(query)) else {
                throw Self.mismatch
            }
            found += page.summaries
            // Each reply brings one summary at least.
            guard !page.rest.isEmpty, page.rest.count < query.messages.count else { return found }
            let rest = Set(page.rest)
            query.messages.removeAll { !rest.contains($0.timetoken) }
        }
    }

    /// Asks whether the daemon answers.
    ///
    /// - Returns: Its clock.
    @discardableResult
    public func ping() async throws(SyncClientError) -> Timetoken {
        guard case .pong(let time) = try await perform(.ping) else { throw Self.mismatch }
        return time
    }

    static var mismatch: SyncClientError { .badReply("It answers another command.") }

    /// What the daemon would refuse later is refused at the call.
    ///
    /// - Parameter isNew: A value of spaces may be removed, as others may have added it.
    static func checkReaction(
        _ value: String, type: String, isNew: Bool, score: Int? = nil
    ) throws(SyncClientError) {
        if let score, !(1...Limits.actionScoreMax).contains(score) {
            throw .invalidReaction(reason: "its score is not 1 to \(Limits.actionScoreMax)")
        }
        if isNew ? ReactionValue.canonical(value).isEmpty : value.isEmpty {
            throw .invalidReaction(reason: "it is empty")
        }
        guard !value.utf8.contains(0), !type.utf8.contains(0) else {
            throw .invalidReaction(reason: "it holds the character U+0000")
        }
        guard value.utf8.count <= Limits.actionValueBytesMax else {
            throw .invalidReaction(
                reason: "it has over \(Limits.actionValueBytesMax) bytes")
        }
        guard (1...Limits.actionTypeBytesMax).contains(type.utf8.count) else {
            throw .invalidReaction(
                reason: "its type has not 1 to \(Limits.actionTypeBytesMax) bytes")
        }
    }

    // MARK: The way of a command

    /// Sends a command, now or after the next reconnect, and waits for its reply.
    func perform(_ command: Command) async throws(SyncClientError) -> Reply {
        let id = nextID()
        try command.check()
        let frame = CommandEncoder.encode(command, id: id)
        try check(command.kind, frameBytes: frame.count)

        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let item = Item(
                    id: id, kind: command.kind, frame: frame,
                    deadline: .now + configuration.commandTimeout, owner: .caller(continuation),
                    outlivesConnection: command.kind.canBeSentAgain)
                do throws(SyncClientError) {
                    try commands.add(item)
                } catch {
                    finish(item, .failure(error))
                    return
                }
                pump()
                watchDeadlines()
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        return try result.get()
    }

    private func check(_ kind: CommandKind, frameBytes: Int) throws(SyncClientError) {
        var bytesMax = Limits.frameBytesMax
        switch phase {
        case .closed(let reason): throw .closed(reason: reason)
        case .idle: throw .notConnected
        case .connecting:
            guard kind.canBeSentAgain else { throw .notConnected }
        case .online(let welcome):
            bytesMax = welcome.frameBytesMax
        }
        // The daemon would close the connection over it, for good.
        guard frameBytes <= bytesMax else {
            throw .frameTooLarge(bytes: frameBytes, max: bytesMax)
        }
    }

    private func cancel(_ id: CommandID) {
        guard let item = commands.cancel(id) else { return }
        finish(item, .failure(.cancelled))
    }

    /// Tells whoever waits for a command how it ended.
    func finish(_ item: Item, _ result: Result<Reply, SyncClientError>) {
        if case .caller(let continuation) = item.owner { continuation.resume(returning: result) }
    }

    // MARK: Deadlines

    /// Has one task watch over all deadlines while there are any.
    func watchDeadlines() {
        guard deadlineTask == nil else { return }
        deadlineTask = Task { [weak self] in
            while let deadline = await self?.expireCommands() {
                try? await Task.sleep(until: deadline, clock: .continuous)
            }
        }
    }

    /// - Returns: When to look again; `nil` when nothing waits.
    private func expireCommands() -> ContinuousClock.Instant? {
        for item in commands.expire(at: .now) {
            switch item.owner {
            case .caller: finish(item, .failure(.timedOut(after: configuration.commandTimeout)))
            case .hello, .token, .device, .selection, .live:
                silence = configuration.commandTimeout
                connection?.close(code: 1000)
            }
        }
        guard let deadline = commands.nextDeadline else {
            deadlineTask = nil
            return nil
        }
        return deadline
    }
}
