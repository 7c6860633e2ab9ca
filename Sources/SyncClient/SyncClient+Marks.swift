// Up to where the user has read channels: one mark for all of the user's devices.

public import EventModel

extension SyncedChannel {
    /// What the user has not read of the list, the wishes of ``markRead(through:)`` included.
    ///
    /// `nil` until the daemon has told the mark, to this process or one before it, and where the
    /// channel was not asked for with `countsUnread`, the daemon is an earlier one, or the user has
    /// no right to its history.
    public var unread: Unread? {
        get async { await client.look { $0.unread(of: name) } }
    }

    /// ``unread`` now, and then whenever it is another one; one reader per stream, any number of
    /// streams.
    ///
    /// A reader who is slow gets the newest alone.
    public var unreadUpdates: AsyncStream<Unread?> {
        get async { await client.unreadUpdates(of: name) }
    }

    /// Says that the user has read the channel up to a message, on all of the user's devices.
    ///
    /// The wish is kept when this returns, and counted in ``unread``; it needs no connection. It is
    /// sent about once a second at most, the latest of several alone, until the daemon has
    /// confirmed it, also after a reconnect, after ``leave()`` and by a later process. A mark never
    /// goes back: one that is not later than what was read already changes nothing.
    ///
    /// It takes the right to read the channel. Where that is lacking, the wish waits for the next
    /// connection or token.
    ///
    /// - Parameter through: The message; `nil`: the newest of the list, if there is any.
    /// - Throws: ``SyncClientError/invalidChannel(reason:)`` or
    ///   ``SyncClientError/closed(reason:)``.
    public func markRead(through: Timetoken? = nil) async throws(SyncClientError) {
        try await client.markRead(name, through: through)
    }
}

extension SyncClient {
    /// Asks the daemon what the user has not read of channels, followed or not; needs a connection.
    ///
    /// - Parameter channels: Any number; ``Limits/unreadChannelsMax`` are asked for at a time.
    /// - Returns: In the order of the question. The wishes of ``SyncedChannel/markRead(through:)``
    ///   that the daemon has not confirmed are not in it.
    public func unread(
        of channels: [String]
    ) async throws(SyncClientError) -> [UnreadMessages] {
        var found: [UnreadMessages] = []
        for start in stride(from: 0, to: channels.count, by: Limits.unreadChannelsMax) {
            let end = min(start + Limits.unreadChannelsMax, channels.count)
            let question = Command.unread(channels: Array(channels[start..<end]))
            guard case .unread(let part) = try await perform(question) else {
                throw Self.mismatch
            }
            found += part
        }
        return found
    }

    func markRead(_ channel: String, through: Timetoken?) throws(SyncClientError) {
        try checkOpen()
        try Command.checkChannel(channel, isWritten: true)
        run { $0.markRead(channel, through: through) }
        // What cannot be kept has ended the client.
        try checkOpen()
    }

    /// Lets the next wish of a channel go out after a while.
    func restLater(_ channel: String) {
        let sleep = configuration.sleep
        Task { [weak self] in
            try? await sleep(ClientLimits.markPause)
            await self?.rested(channel)
        }
    }

    private func rested(_ channel: String) {
        if case .closed = phase { return }
        run { $0.rested(channel) }
    }

    func unreadUpdates(of channel: String) -> AsyncStream<Unread?> {
        let queue = StreamQueue<Unread?>(capacity: 1)
        queue.append(device.unread(of: channel), orInstead: { [] })
        if case .closed = phase {
            queue.finish()
        } else {
            unreadReaders[Channel(channel), default: []].append(WeakReader(queue: queue))
        }
        return queue.stream
    }

    func tell(_ unread: Unread?, of channel: String) {
        unreadReaders[Channel(channel)]?.removeAll { $0.queue == nil }
        for reader in unreadReaders[Channel(channel)] ?? [] {
            reader.queue?.append(unread, orInstead: { [unread] })
        }
    }
}
