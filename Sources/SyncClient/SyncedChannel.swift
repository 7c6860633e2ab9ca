// What an application holds of one channel: its list, and the ways to change it.

public import EventModel

/// What a stream of a channel's list says.
public enum ListUpdate: Hashable, Sendable {
    /// The whole list: at the start, and when the reader was so slow that changes were dropped.
    case all([ListItem])
    /// Changes to make one after the other, with `[ListItem].apply(_:)`.
    case changes([ListChange])
}

/// A channel that the client follows and keeps equal to the daemon's.
///
/// Everything here works without a connection, and answers at once: the list has what the device
/// has and what the user wished; the daemon hears of it when there is a connection again.
public struct SyncedChannel: Sendable {
    public let name: String
    let client: SyncClient

    /// The list as it is now.
    public var items: [ListItem] {
        get async { await client.look { $0.list(of: name) } }
    }

    /// The list now, and then its changes; one reader per stream, any number of streams.
    public var updates: AsyncStream<ListUpdate> {
        get async { await queuedUpdates.stream }
    }

    /// The same for somebody who has to know when the reader has taken what a wish changed.
    package var queuedUpdates: StreamQueue<ListUpdate> {
        get async { await client.updates(of: name) }
    }

    /// What the device has from the daemon, without what was only wished.
    public var base: ChannelBase {
        get async { await client.look { $0.channel(name)?.base } ?? ChannelBase() }
    }

    /// Whether the device was compared with the daemon after the last batch, and is equal.
    public var isVerified: Bool {
        get async { await client.look { $0.channel(name)?.isVerified == true } }
    }

    /// The last rung that the daemon chose in this session; `nil` until then.
    package var rung: ChannelSync.Rung? {
        get async { await client.look { $0.channel(name)?.rung } }
    }

    /// What reactions there are, as far as the daemon said so, now or to a process before this.
    public var rules: ReactionRules {
        get async { await client.look { $0.rules(of: name) } }
    }

    /// Adds the user's reaction.
    ///
    /// A `reaction` is taken in the form of `ReactionValue.canonical(_:)`, so that ❤ and ❤️ are one,
    /// unless one in just this spelling stands on the message. Other types are sent as they are.
    ///
    /// - Parameter score: What it is to count for from now on, 1 to ``Limits/actionScoreMax``; in
    ///   the modes `multiple` and `total`, where each call counts, how much it adds. `nil`: 1, and
    ///   what stands in the other modes stays as it is.
    public func react(
        _ value: String, type: String = "reaction", score: Int? = nil, to message: Timetoken
    ) async throws(SyncClientError) {
        try await client.wish(
            value, type: type, isPresent: true, score: score, on: message, in: name)
    }

    /// Removes the user's reaction; in the mode `total` takes one off what it counts for.
    ///
    /// - Throws: ``SyncClientError/followedOtherwise(_:)`` after ``leave()``: nobody knows then
    ///   what stands.
    public func unreact(
        _ value: String, type: String = "reaction", from message: Timetoken
    ) async throws(SyncClientError) {
        try await client.wish(value, type: type, isPresent: false, on: message, in: name)
    }

    /// Removes the user's reaction where it stands or is on its way, and adds it where it is not.
    ///
    /// What the device shows decides, at once; what is sent says which of the two it is, so that
    /// it means the same however often it is sent, and whatever other devices do meanwhile.
    ///
    /// - Returns: Whether the reaction is there now.
    /// - Throws: As ``unreact(_:type:from:)`` does.
    @discardableResult
    public func toggle(
        _ value: String, type: String = "reaction", on message: Timetoken
    ) async throws(SyncClientError) -> Bool {
        try await client.toggle(value, type: type, on: message, in: name)
    }

    /// Gives a message of the user's own another text; seen at once, and sent when there is a
    /// connection.
    ///
    /// - Parameter payload: Any JSON value.
    /// - Throws: ``SyncClientError/refused(_:)`` when the message is another user's, or not here.
    public func edit(
        _ message: Timetoken, payload: String
    ) async throws(SyncClientError) {
        try await client.edit(message, payload: payload, in: name)
    }

    /// Deletes a message of the user's own, with the actions on it; needs a connection.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    public func delete(_ message: Timetoken) async throws(SyncClientError) -> Bool {
        try await client.deleteMessage(message, in: name) != nil
    }

    /// Publishes a message.
    public func publish(_ message: Message) async throws(SyncClientError) {
        try await client.enqueue(message, in: name)
    }

    /// Stops to follow the channel; what the device has of it stays in its cache.
    ///
    /// It stays left, also where a group or wildcard has it, until it is asked for by name or the
    /// selection is followed anew.
    ///
    /// Unsent writes still go out. ``SyncClient/SyncClient/forget(_:)`` drops the cache, too.
    public func leave() async {
        await client.unfollow(name)
    }

    /// Has the device compared with the daemon, and mended, even if nothing seems wrong.
    public func repair() async {
        await client.run { $0.repair(name) }
    }
}

extension SyncClient {
    /// Opens a client whose cache is a file.
    ///
    /// The file is made when it is missing, with a device id of its own.
    public static func open(
        cache path: String, configuration: Configuration
    ) throws(DeviceStoreError) -> SyncClient {
        do throws(DeviceStoreError) {
            return try SyncClient(configuration, store: SQLiteDeviceStore(path: path))
        } catch .notYours(_, let owner) {
            throw .notYours(path: path, owner: owner)
        }
    }

    /// Follows a channel, from what the device has of it, until ``unfollow(_:)`` or
    /// ``forget(_:)``.
    ///
    /// One that a group or wildcard brought is followed by its name, too, from then on: it stays
    /// when the selection ends or has it no more.
    ///
    /// - Parameters:
    ///   - name: The channel's.
    ///   - isPresent: Whether the user is in the channel meanwhile, and ``events()`` tells who
    ///     comes and goes, as ``SyncEvent/announced(channel:_:)`` of `NAME-pnpres`. A channel that
    ///     is followed already goes on as it was.
    ///   - window: How much of it the device holds, and the list has: `.last(50)` are its newest
    ///     messages; `nil`: everything. What was kept otherwise is shown until the daemon has sent
    ///     what lacks. A channel that is followed already goes on as it was.
    ///   - countsUnread: Whether ``SyncedChannel/unread`` says what the user has not read, on
    ///     whatever device, until the channel is left; also of one that is followed already.
    /// - Throws: ``SyncClientError/invalidChannel(reason:)``, ``SyncClientError/cache(_:)``, or
    ///   ``SyncClientError/followedOtherwise(_:)`` for a channel that is followed without a list,
    ///   by ``follow(_:after:isPresent:actions:)``.
    public func channel(
        _ name: String, isPresent: Bool = false, window: ChannelWindow? = nil,
        countsUnread: Bool = false
    ) throws(SyncClientError) -> SyncedChannel {
        try Command.checkChannel(name, isWritten: isPresent)
        if let followed = device.channel(name) {
            guard !followed.isTail else { throw .followedOtherwise(name) }
        } else {
            let kept = try kept(of: name)
            attend(name, isPresent)
            run { $0.follow(name, base: kept.base, rules: kept.rules, window: window) }
            if window != nil { compareWindowsLater() }
        }
        if countsUnread { run { $0.countUnread(of: name) } }
        isAsked(forByName: name)
        return SyncedChannel(name: name, client: self)
    }

    /// Follows a channel across reconnects, until ``unfollow(_:)``, without keeping it.
    ///
    /// ``events()`` tells what happens in it: ``SyncEvent/began(channel:after:)``, and then
    /// ``SyncEvent/announced(channel:_:)``. A channel is followed in one way at a time: to follow
    /// it in another one, ``unfollow(_:)`` it first. One that is followed so already goes on as it
    /// was.
    ///
    /// - Parameters:
    ///   - name: The channel's.
    ///   - cursor: Everything after it comes first; `Timetoken.zero`: everything; `nil`: only what
    ///     happens from now on.
    ///   - isPresent: As ``channel(_:isPresent:)`` has it.
    ///   - actions: How much is told of actions: each, what they come to
    ///     (``SyncEvent/summarized(channel:_:)``), or nothing.
    /// - Throws: ``SyncClientError/invalidChannel(reason:)``, or
    ///   ``SyncClientError/followedOtherwise(_:)`` for a channel whose list is followed, or that is
    ///   told more or less of actions.
    public func follow(
        _ name: String, after cursor: Timetoken? = nil, isPresent: Bool = false,
        actions: ActionsDetail = .rows
    ) throws(SyncClientError) {
        try Command.checkChannel(name, isWritten: isPresent)
        if let followed = device.channel(name) {
            guard followed.isTail, followed.actions == actions else {
                throw .followedOtherwise(name)
            }
        } else {
            attend(name, isPresent)
            run { $0.follow(name, after: cursor, actions: actions) }
        }
        isAsked(forByName: name)
    }

    /// How far the client has heard a channel, in whichever way it follows it; `nil`: in none.
    public func position(of channel: String) -> Timetoken? { device.channel(channel)?.base.cursor }

    package func kept(
        of channel: String
    ) throws(SyncClientError) -> (base: ChannelBase, rules: ReactionRules?) {
        do throws(DeviceStoreError) {
            let base = try store?.base(of: channel) ?? ChannelBase()
            return (base, try store?.rules(of: channel))
        } catch {
            throw .cache(error)
        }
    }

    /// Stops to follow a channel and drops its cache; unsent writes still go out.
    public func forget(_ channel: String) {
        isLeftByName(channel)
        run { $0.forget(channel) }
        attend(channel, false)
        endLists(of: channel)
    }

    /// Stops to follow a channel and keeps its cache; ``channel(_:)`` goes on from there.
    public func unfollow(_ channel: String) {
        isLeftByName(channel)
        end(channel)
    }

    /// Stops to follow a channel, whoever wants that.
    func end(_ channel: String) {
        run { $0.unfollow(channel) }
        attend(channel, false)
        endLists(of: channel)
    }

    private func endLists(of channel: String) {
        for reader in listReaders.removeValue(forKey: Channel(channel)) ?? [] {
            reader.queue?.finish()
        }
        for reader in unreadReaders.removeValue(forKey: Channel(channel)) ?? [] {
            reader.queue?.finish()
        }
        finishOlder(of: Channel(channel), .failure(.followedOtherwise(channel)))
    }

    /// The channels that are followed, by name or because a group or wildcard has them.
    public var followedChannels: [String] { device.followedChannels }

    /// Writes of this device that the daemon has not confirmed.
    public var unsentWrites: [OutboxEntry] { device.outbox.entries }
}
