// One device of one user without its socket, its disk and its clock: channels, outbox and views.

/// The deciding half of a client.
///
/// It reads no clock and does no I/O: whoever owns it hands in what came, and does what the
/// effects say. Batches and replies of an earlier connection must not be handed in after
/// ``disconnected()``.
public struct Device: Sendable {
    public let user: String
    /// What an author's version of a message says, as JSON.
    let payload: @Sendable (String) -> String
    public internal(set) var outbox: Outbox
    var channels: [Channel: ChannelSync] = [:]
    var views: [Channel: ChannelView] = [:]
    /// Of the present session.
    var epoch: String?
    /// The server had no room for a write: nothing more goes out before ``retry()``.
    var isPaused = false
    /// The channel whose symbols the server keeps: it does so for one at a time.
    var repairTurn: Channel?
    /// Messages of the batch at hand that the server does not keep.
    var unstored: Set<Timetoken> = []
    /// First questions of other channels' repairs, until it is their turn.
    var waitingRepairs: [(channel: Channel, question: DeviceQuestion)] = []

    /// Up to where the user has read channels, and wishes to have.
    var marks: [Channel: ReadState] = [:]
    /// Marks of which something changed in the input at hand.
    var touchedMarks: Set<Channel> = []
    /// Those that the server did not tell, and is asked for again.
    var unaskedMarks: Set<Channel> = []

    /// Channels in one `subscribe`, so that its frame stays under the daemon's 32 KiB.
    static let channelsPerSubscribe = 40
    /// Channels in one `unread`, so that its frame does, whatever they are called.
    static let channelsPerUnread = 60

    /// - Parameters:
    ///   - user: The user id that `hello` names: whose reactions are one's own.
    ///   - outbox: What was kept, in order.
    ///   - marks: What was kept of read marks.
    ///   - payload: Makes JSON of what an author's version of a message says: others' clients write
    ///     bare texts.
    public init(
        user: String, outbox: [OutboxEntry] = [], marks: [KeptMark] = [],
        payload: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.user = user
        self.payload = payload
        self.outbox = Outbox(outbox)
        for mark in marks { self.marks[Channel(mark.channel)] = ReadState(mark) }
    }

    // MARK: What is known

    /// The state of a followed channel.
    public func channel(_ name: String) -> ChannelSync? { channels[Channel(name)] }

    /// What reactions there are in a channel, as far as the server has said so.
    public func rules(of channel: String) -> ReactionRules {
        channels[Channel(channel)]?.rules ?? ReactionRules()
    }

    /// The key under which an action is stored: its own, where it stood before the rules.
    func key(_ asked: MessageAction.Key, in channel: String) -> MessageAction.Key {
        let sync = channels[Channel(channel)]
        let stands = sync?.base.cache.actionTimetoken(of: asked) != nil
        return stands ? asked : rules(of: channel).canonical(asked)
    }

    public var followedChannels: [String] { channels.keys.map(\.name) }

    /// How an action stands, the user's wishes included.
    public func standing(of key: MessageAction.Key, in channel: String) -> Standing {
        let rules = rules(of: channel)
        let key = self.key(key, in: channel)
        let base = channels[Channel(channel)]?.base.cache.action(of: key)
        return outbox.own(key, in: channel, base: base, under: rules).standing
    }

    /// The message list of a followed channel; from now on its changes are among the effects.
    public mutating func observe(_ channel: String) -> [ListItem] {
        if views[Channel(channel)] == nil {
            views[Channel(channel)] = ChannelView(
                channels[Channel(channel)]?.base ?? ChannelBase(),
                outbox.entries(of: channel, under: rules(of: channel)), under: rules(of: channel),
                user: user, payload: payload)
        }
        return views[Channel(channel)]?.items ?? []
    }

    /// The message list of a followed channel as it is now.
    public func list(of channel: String) -> [ListItem] {
        if let view = views[Channel(channel)] { return view.items }
        guard let sync = channels[Channel(channel)] else { return [] }
        let entries = outbox.entries(of: channel, under: sync.rules)
        return ChannelView(
            sync.base, entries, under: sync.rules, user: user, payload: payload
        ).items
    }

    /// Nobody looks at a channel's list any more.
    public mutating func endObservation(of channel: String) {
        views[Channel(channel)] = nil
    }

    // MARK: Channels

    /// Follows a channel from what was kept of it, or from its beginning.
    ///
    /// - Parameters:
    ///   - rules: Kept with it; `nil`: the server has not said yet what holds.
    ///   - window: How much of it is wanted; `nil`: all of it.
    public mutating func follow(
        _ channel: String, base: ChannelBase = ChannelBase(), rules: ReactionRules? = nil,
        window: ChannelWindow? = nil
    ) -> DeviceEffects {
        follow(ChannelSync(channel, base: base, rules: rules, window: window))
    }

    /// Asks for messages before those that the device holds of a channel.
    ///
    /// ``DeviceEffects/older`` tells what became of it, at the latest after the next connection.
    public mutating func loadOlder(_ count: Int, of channel: String) -> DeviceEffects {
        input(channel) { $0.loadOlder(count) }
    }

    /// Compares what is before a channel's window with the server's.
    ///
    /// - Parameter isWished: Whether a channel that was refused is asked for again.
    public mutating func verify(_ channel: String, isWished: Bool = true) -> DeviceEffects {
        input(channel) { $0.verify(isWished: isWished) }
    }

    /// Follows a channel from a position on, `nil`: from now, to be told what happens in it.
    ///
    /// - Parameter actions: How much of them is told.
    public mutating func follow(
        _ channel: String, after cursor: Timetoken?, actions: ActionsDetail = .rows
    ) -> DeviceEffects {
        follow(ChannelSync(tailOf: channel, after: cursor, actions: actions))
    }

    private mutating func follow(_ sync: ChannelSync) -> DeviceEffects {
        var effects = DeviceEffects()
        var sync = sync
        let channel = sync.name
        guard channels[Channel(channel)] == nil else { return effects }
        if !sync.base.strays.isEmpty {
            effects.writes.append(.channel(channel, sync.header, sync.base.strays))
            sync.base.strays = []
        }
        let step = epoch.map { sync.connect(epoch: $0) }
        channels[Channel(channel)] = sync
        if let step { take(step, of: channel, &effects) }
        finish(&effects)
        return effects
    }

    /// Stops to follow a channel; what was kept of it stays, and wishes about it are still sent.
    public mutating func unfollow(_ channel: String) -> DeviceEffects {
        leave(channel, forgetting: false)
    }

    /// Stops to follow a channel and forgets it; wishes about it are still sent.
    public mutating func forget(_ channel: String) -> DeviceEffects {
        leave(channel, forgetting: true)
    }

    private mutating func leave(_ channel: String, forgetting: Bool) -> DeviceEffects {
        var effects = DeviceEffects()
        guard channels.removeValue(forKey: Channel(channel)) != nil else { return effects }
        views[Channel(channel)] = nil
        if forgetting { effects.writes.append(.forget(channel)) }
        for entry in outbox.settle(channel, base: nil) {
            effects.writes.append(.outbox(.drop(mutation: entry.mutation)))
        }
        leaveMark(Channel(channel), forgetting: forgetting, &effects)
        if epoch != nil {
            effects.questions.append(
                DeviceQuestion(ticket: .unsubscribe, command: .unsubscribe(channels: [channel])))
        }
        return effects
    }

    /// Has a channel compared and repaired, whatever is thought of it.
    public mutating func repair(_ channel: String) -> DeviceEffects {
        input(channel) { $0.repair() }
    }

    private mutating func input(
        _ channel: String, _ input: (inout ChannelSync) -> ChannelSync.Step
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        if var sync = channels.removeValue(forKey: Channel(channel)) {
            let step = input(&sync)
            channels[Channel(channel)] = sync
            take(step, of: channel, &effects)
        }
        finish(&effects)
        return effects
    }

    // MARK: The connection

    /// A session began: every channel goes on, then the outbox, in order.
    ///
    /// - Parameter epoch: From the reply to `hello`.
    public mutating func connected(epoch: String) -> DeviceEffects {
        self.epoch = epoch
        isPaused = false
        var effects = DeviceEffects()
        for channel in channels.keys.sorted(by: { ExactText($0.name) < ExactText($1.name) }) {
            if let step = channels[channel]?.connect(epoch: epoch) {
                take(step, of: channel.name, &effects)
            }
        }
        connectMarks(&effects)
        finish(&effects)
        return effects
    }

    public mutating func disconnected() {
        epoch = nil
        for channel in channels.keys { channels[channel]?.disconnect() }
        outbox.disconnect()
        disconnectMarks()
        repairTurn = nil
        waitingRepairs = []
    }

    /// Asks again what the server had no room for.
    public mutating func retry() -> DeviceEffects {
        goOn { $0.retry() }
    }

    /// The server has another token: asks again what it refused because of the one before.
    public mutating func allowed() -> DeviceEffects {
        goOn { $0.allowed() }
    }

    private mutating func goOn(
        _ input: (inout ChannelSync) -> ChannelSync.Step
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        guard epoch != nil else { return effects }
        isPaused = false
        for channel in channels.keys.sorted(by: { ExactText($0.name) < ExactText($1.name) }) {
            guard var sync = channels[channel] else { continue }
            let step = input(&sync)
            channels[channel] = sync
            take(step, of: channel.name, &effects)
        }
        retryMarks(&effects)
        finish(&effects)
        return effects
    }
}
