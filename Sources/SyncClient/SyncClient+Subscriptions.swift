// Following channels: how a subscription starts, goes on after a reconnect, and ends.

public import EventModel

extension SyncClient {
    /// Follows a channel, across reconnects, until ``unsubscribe(_:)``.
    ///
    /// - Parameters:
    ///   - channel: Its name.
    ///   - cursor: Everything after it comes first; `Timetoken.zero`: everything; `nil`: only
    ///     what happens from now on.
    ///   - epoch: The store that issued `cursor`, from `Welcome`, if the cursor was kept from an
    ///     earlier run. In another store it means nothing and the daemon sends a snapshot.
    /// - Returns: What comes before the live events, and where they start.
    @discardableResult
    public func subscribe(
        _ channel: String, from cursor: Timetoken? = nil, epoch: String? = nil
    ) async throws(SyncClientError) -> SubscribedChannel {
        let id = nextID()
        let request = SubscribeRequest(channel: channel, cursor: cursor, epoch: epoch)
        subscriptions[Channel(channel), default: Subscription()].start = id
        do throws(SyncClientError) {
            let reply = try await perform(.subscribe([request]), id: id)
            guard case .subscribed(let channels) = reply,
                let confirmed = channels.first(where: { $0.channel == channel })
            else { throw .badReply("The channel is missing.") }
            return confirmed
        } catch {
            abandonStart(id)
            throw error
        }
    }

    /// Stops following a channel and forgets its cache.
    public func unsubscribe(_ channel: String) async throws(SyncClientError) {
        guard subscriptions.removeValue(forKey: Channel(channel)) != nil else { return }
        guard case .online = phase else { return }
        _ = try await perform(.unsubscribe(channels: [channel]))
    }

    /// Takes the daemon's word for where a channel's batches start.
    func confirm(_ channel: SubscribedChannel, isStart: Bool) {
        guard case .online(let welcome) = phase,
            var subscription = subscriptions[Channel(channel.channel)]
        else { return }
        if isStart { subscription.start = nil }
        subscription.epoch = welcome.epoch
        // A cache that starts anywhere has nothing to repair by: it comes anew, too.
        let isRepair = channel.mode == .repair
        let isSnapshot = channel.mode == .snapshot || isRepair
        let known = subscription.cache
        if isStart || isSnapshot || known == nil {
            subscription.cache = DeviceCache(cursor: isSnapshot ? .zero : channel.cursor)
        }
        subscriptions[Channel(channel.channel)] = subscription
        if isSnapshot || (isStart && known != nil) {
            emit(.cacheReset(channel: channel.channel))
        }
        if isRepair { resume([channel.channel]) }
    }

    /// Gives up a start that the daemon did not confirm; an older subscription goes on.
    func abandonStart(_ id: CommandID) {
        guard let channel = subscriptions.first(where: { $0.value.start == id })?.key.name else {
            return
        }
        subscriptions[Channel(channel)]?.start = nil
        if subscriptions[Channel(channel)]?.cache == nil {
            subscriptions[Channel(channel)] = nil
        } else if case .online = phase {
            resume([channel])
        }
    }

    /// Applies what is new in a batch, and tells of that and no more.
    ///
    /// What is not stored moves no cursor: whether it is new, only its own place says.
    func apply(_ batch: Batch) {
        let channel = Channel(batch.channel.name)
        guard let before = subscriptions[channel]?.cache?.cursor,
            let announced = subscriptions[channel]?.announcedThrough
        else { return }
        let news = batch.envelopes.filter { $0.timetoken > ($0.isStored ? before : announced) }
        guard batch.cursor > before || !news.isEmpty else { return }
        subscriptions[channel]?.cache?.apply(batch)
        if let last = news.last(where: { !$0.isStored }) {
            subscriptions[channel]?.announcedThrough = last.timetoken
        }
        emit(.batch(Batch(channel: batch.channel, cursor: batch.cursor, envelopes: news)))
    }
}
