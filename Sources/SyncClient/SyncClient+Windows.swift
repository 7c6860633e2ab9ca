// Parts of channels: older messages, a look at what is outside, and a comparison now and then.

public import EventModel

/// What became of a wish for older messages.
public enum OlderMessages: Hashable, Sendable {
    /// They are in the list, and there are further ones.
    case more
    /// They are in the list, which has the channel's first message now.
    case beginning
    /// The list has as many messages as its window keeps: ``SyncedChannel/page(before:_:)`` shows
    /// what is before them, and keeps nothing.
    case full
}

/// Messages that somebody looks at outside of what the device holds, as they were when they were
/// read; ascending.
public struct MessagesPage: Hashable, Sendable {
    public let items: [ListItem]
    /// Whether there are messages before these, or after them.
    public let hasOlder: Bool
    public let hasNewer: Bool
}

extension SyncedChannel {
    /// Whether the channel has messages before those of the list, as far as is known: not before
    /// the first ones are there, and never of one that is held whole.
    public var hasOlder: Bool {
        get async { await client.look { $0.channel(name)?.base.rest.hasMore ?? false } }
    }

    /// Brings messages into the list that are before those of its window.
    ///
    /// Without a connection it waits for one, until its task is cancelled. Messages that were asked
    /// for come also when nobody waits for them any more. A channel that was refused is asked for
    /// again.
    ///
    /// - Parameter count: At least, where there are so many; 1 to
    ///   ``Limits/windowPageMessagesMax``.
    /// - Throws: ``SyncClientError/refused(_:)``, ``SyncClientError/cancelled``, or
    ///   ``SyncClientError/followedOtherwise(_:)`` when nobody follows the channel any more.
    @discardableResult
    public func loadOlder(_ count: Int = 50) async throws(SyncClientError) -> OlderMessages {
        try await client.loadOlder(count, of: name)
    }

    /// Looks at the messages around one, which the device need not have; needs a connection.
    ///
    /// - Parameters:
    ///   - message: Where it is, or was.
    ///   - count: Messages before it and after it together, 2 to twice ``Limits/historyPageMax``.
    public func jump(
        to message: Timetoken, around count: Int = 50
    ) async throws(SyncClientError) -> MessagesPage {
        let half = max(1, count / 2)
        let older = try await client.page(
            HistoryQuery(channel: name, before: message.successor(at: 0), limit: half))
        let newer = try await client.page(
            HistoryQuery(channel: name, after: message, limit: half))
        return MessagesPage(
            items: await client.look { $0.items(of: older.messages + newer.messages, in: name) },
            hasOlder: older.next != nil, hasNewer: newer.next != nil)
    }

    /// Looks at the messages before one.
    public func page(
        before message: Timetoken, _ count: Int = 50
    ) async throws(SyncClientError) -> MessagesPage {
        let page = try await client.page(
            HistoryQuery(channel: name, before: message, limit: count))
        // The one that is named, too.
        let previous = Timetoken(rawValue: max(message.rawValue, 1) - 1)
        let newer = try await client.history(
            HistoryQuery(channel: name, after: previous, limit: 1))
        return MessagesPage(
            items: await client.look { $0.items(of: page.messages, in: name) },
            hasOlder: page.next != nil, hasNewer: !newer.messages.isEmpty)
    }

    /// Looks at the messages after one.
    public func page(
        after message: Timetoken, _ count: Int = 50
    ) async throws(SyncClientError) -> MessagesPage {
        let page = try await client.page(HistoryQuery(channel: name, after: message, limit: count))
        let next = min(message.successor(at: 0), .end)
        let older = try await client.history(HistoryQuery(channel: name, before: next, limit: 1))
        return MessagesPage(
            items: await client.look { $0.items(of: page.messages, in: name) },
            hasOlder: !older.messages.isEmpty, hasNewer: page.next != nil)
    }

    /// Compares what is before the list's window with the daemon's, which pushes cannot do; the
    /// client does so about once an hour.
    ///
    /// What shows stays as it is when the daemon refuses to.
    public func verify() async {
        await client.run { $0.verify(name) }
    }
}

extension SyncClient {
    func page(_ query: HistoryQuery) async throws(SyncClientError) -> HistoryPage {
        var query = query
        query.limit = min(max(query.limit, 1), Limits.historyPageMax)
        query.includesActions = true
        return try await history(query)
    }

    /// What the daemon's rows come to that are on messages up to a timetoken.
    package func rest(
        of channel: String, before after: Timetoken
    ) async throws(SyncClientError) -> WindowPage {
        let question = OlderQuery(channel: channel, through: after, last: 0)
        guard case .older(let page) = try await perform(.older(question)) else {
            throw Self.mismatch
        }
        return page
    }

    func loadOlder(
        _ count: Int, of channel: String
    ) async throws(SyncClientError) -> OlderMessages {
        try checkOpen()
        guard device.channel(channel)?.isTail == false else { throw .followedOtherwise(channel) }
        let id = nextID()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation {
                olderWaiters[Channel(channel), default: [:]][id] = $0
                run { $0.loadOlder(count, of: channel) }
            }
        } onCancel: {
            Task { await self.cancelOlder(id, of: Channel(channel)) }
        }
        switch try outcome.get() {
        case .loaded(let hasMore): return hasMore ? .more : .beginning
        case .full: return .full
        case .refused(let error): throw .refused(error)
        }
    }

    private func cancelOlder(_ id: CommandID, of channel: Channel) {
        olderWaiters[channel]?.removeValue(forKey: id)?.resume(returning: .failure(.cancelled))
    }

    /// Tells all who wait for older messages of a channel.
    func finishOlder(of channel: Channel, _ result: Result<OlderOutcome, SyncClientError>) {
        guard let waiters = olderWaiters.removeValue(forKey: channel) else { return }
        for waiter in waiters.values { waiter.resume(returning: result) }
    }

    /// Has windows compared now and then, as long as there are any.
    func compareWindowsLater() {
        guard windowTask == nil else { return }
        let sleep = configuration.sleep
        // Not all devices at once.
        let share = 0.5 + configuration.random()
        windowTask = Task { [weak self] in
            while (try? await sleep(ClientLimits.windowComparison * share)) != nil {
                guard let self, await compareWindows() else { return }
            }
        }
    }

    /// - Returns: Whether there are any.
    private func compareWindows() -> Bool {
        let windows = device.followedChannels.filter { device.channel($0)?.window != nil }
        for channel in windows { run { $0.verify(channel, isWished: false) } }
        if windows.isEmpty { windowTask = nil }
        return !windows.isEmpty
    }
}
