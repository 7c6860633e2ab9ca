// One device of one user: its connection, its channels and its unsent writes.
//
// Start at `SyncClient+Session.swift` for the life of a connection, and at
// `SyncClient+Commands.swift` for what a user calls.

public import EventModel
import JSON

/// A client of the daemon that reconnects by itself and misses nothing.
///
/// - After each reconnect every channel goes on from its last cursor: no event is missed, and
///   none is applied twice.
/// - A write whose connection breaks before its reply is sent again after the reconnect, under the
///   same mutation id, so that it is applied once. At most ``ClientLimits/commandsWaitingMax``
///   commands wait.
/// - It stays connected, and in memory, until ``close()``.
public actor SyncClient {
    /// Where the client is in its life.
    enum Phase: Sendable {
        case idle
        /// An attempt is under way, or the next one is being waited for.
        case connecting
        case online(Welcome)
        case closed(reason: String)
    }

    /// Where the connection stands.
    public enum ConnectionState: Hashable, Sendable {
        /// Nobody asked for one.
        case idle
        case connecting
        /// The last attempt or session ended, and the next attempt begins then.
        case waiting(until: ContinuousClock.Instant, reason: String)
        case online(Welcome)
        case closed(reason: String)
    }

    /// Who is told how a command ended.
    enum Owner: Sendable {
        case caller(CheckedContinuation<Result<Reply, SyncClientError>, Never>)
        /// The client itself: the session begins with it.
        case hello
        /// The session goes on with another token.
        case token
        /// The client itself: a group or wildcard.
        case selection(Selection)
        /// The device that the client runs.
        case device(DeviceTicket)
        /// A live list, and which of its questions.
        case live(Int, Int)
    }

    typealias Item = CommandQueue<Owner>.Item
    typealias OlderWaiter = CheckedContinuation<Result<OlderOutcome, SyncClientError>, Never>

    let configuration: Configuration
    let decoder: ServerFrameDecoder
    var phase = Phase.idle
    var connection: (any WebSocketConnection)?
    var commands = CommandQueue<Owner>()
    var backoff: Backoff
    var sessionTask: Task<Void, Never>?
    /// Asks for another token in time.
    var tokenTask: Task<Void, Never>?
    var tokenEnds: ContinuousClock.Instant?
    /// From the question for another token to the daemon's reply to it.
    var tokenRequest: Task<Void, Never>?
    /// Whether somebody wants one that was got later than that.
    var wantsToken = false
    var deadlineTask: Task<Void, Never>?
    /// The groups and wildcards that are followed.
    var selections: [Selection: SelectionState] = [:]
    /// Channels that are followed because of these, and not by name.
    var broughtChannels: Set<ExactText> = []
    /// Channels that were left by name, though a selection has them.
    var leftChannels: Set<ExactText> = []
    /// Who waits for the first session.
    var connectWaiters: [CheckedContinuation<Result<Welcome, SyncClientError>, Never>] = []
    /// Ends the wait for the next attempt when it is cancelled.
    var waitTask: Task<Void, any Error>?
    /// Until when that lasts, and why it is.
    var waiting: (until: ContinuousClock.Instant, reason: String)?
    /// How long the daemon did not answer what a session rests on, when that ended the session.
    var silence: Duration?
    /// Whether ``disconnect()`` waits for the session to end.
    var isDisconnecting = false
    /// What came and could not be read since the client was made; see ``SyncEvent/problem(_:)``.
    public internal(set) var problemCount = 0
    /// Whether the first failure ends the attempts, as ``connect()`` promises.
    var stopsAtFirstFailure = false
    /// What decides about channels and unsent writes.
    var device: Device
    /// Where that is kept; without one it ends with the process.
    let store: (any DeviceStore)?
    /// The presence channels of those in which the user is while the client follows them.
    var attended: Set<ExactText> = []
    var liveLists: [Int: LiveListState] = [:]
    var lastLiveList = 0
    /// Why the daemon did not answer lists that nobody has read yet, the oldest first.
    var liveRefusals: [(number: Int, error: ProtocolError)] = []
    var listReaders: [Channel: [WeakReader<ListUpdate>]] = [:]
    var unreadReaders: [Channel: [WeakReader<Unread?>]] = [:]
    /// Who waits for older messages, by numbers of ``nextID()``.
    var olderWaiters: [Channel: [CommandID: OlderWaiter]] = [:]
    /// Compares what is before windows.
    var windowTask: Task<Void, Never>?
    /// Asks again what the daemon had no room for.
    var retryTask: Task<Void, Never>?
    var retryBackoff: Backoff
    private var lastID: CommandID = 0
    private var mutations: MutationIDs
    private var readers: [WeakReader<SyncEvent>] = []

    /// A stream that is no longer read goes away by itself.
    struct WeakReader<Element: Sendable> {
        weak var queue: StreamQueue<Element>?
    }

    /// Whose device this is.
    public nonisolated var userID: String { configuration.userID }

    /// A client that keeps nothing beyond the process.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        store = nil
        device = Device(
            user: configuration.userID, payload: { JSONValue.payload(saying: $0) })
        decoder = ServerFrameDecoder(keyset: configuration.tenant)
        backoff = configuration.backoff
        retryBackoff = configuration.backoff
        mutations = MutationIDs(instance: .random(in: 0 ... .max))
    }

    /// A client whose channels and unsent writes survive the process.
    ///
    /// - Parameters:
    ///   - configuration: Its `deviceID` counts only for a new store; an older one has its own.
    ///   - store: Given up to the client.
    /// - Throws: When the store is another user's, or cannot be read.
    public init(
        _ configuration: Configuration, store: sending any DeviceStore
    ) throws(DeviceStoreError) {
        var configuration = configuration
        if let owner = try store.identity() {
            guard owner.userID == configuration.userID, owner.keyset == configuration.tenant else {
                throw .notYours(path: "(as given)", owner: owner)
            }
            configuration.deviceID = owner.deviceID
        } else {
            try store.setIdentity(
                DeviceIdentity(
                    userID: configuration.userID, keyset: configuration.tenant,
                    deviceID: configuration.deviceID))
        }
        device = Device(
            user: configuration.userID, outbox: try store.outbox(), marks: try store.marks(),
            payload: { JSONValue.payload(saying: $0) })
        self.configuration = configuration
        self.store = store
        decoder = ServerFrameDecoder(keyset: configuration.tenant)
        backoff = configuration.backoff
        retryBackoff = configuration.backoff
        mutations = MutationIDs(instance: .random(in: 0 ... .max))
    }

    // MARK: The connection

    /// Connects and waits until the daemon has greeted.
    ///
    /// After that the client reconnects by itself. When this first attempt fails it does not try
    /// again: call `connect()` again, or ``start()`` to have it try for ever.
    @discardableResult
    public func connect() async throws(SyncClientError) -> Welcome {
        switch phase {
        case .online(let welcome): return welcome
        case .closed(let reason): throw .closed(reason: reason)
        case .connecting: break
        case .idle:
            stopsAtFirstFailure = true
            begin()
        }
        let result = await withCheckedContinuation { connectWaiters.append($0) }
        return try result.get()
    }

    /// Begins to connect, as often as it takes, and returns at once.
    public func start() {
        stopsAtFirstFailure = false
        if case .idle = phase { begin() }
    }

    private func begin() {
        phase = .connecting
        sessionTask = Task { await self.runSessions() }
    }

    /// Ends the wait for the next attempt to connect, for example when the network is back.
    ///
    /// Begins to connect when nothing is under way; does nothing while there is a connection.
    public func reconnectNow() {
        switch phase {
        case .idle: start()
        case .connecting:
            backoff.reset()
            waitTask?.cancel()
        case .online, .closed: break
        }
    }

    /// Ends the connection until ``connect()`` or ``start()``; waits until the daemon has heard of
    /// it, at most 3 seconds.
    ///
    /// Channels and unsent writes stay, and go on then. Commands that wait for
    /// their reply fail with ``SyncClientError/connectionLost(reason:)``.
    public func disconnect() async {
        switch phase {
        case .idle, .closed: return
        case .connecting, .online: isDisconnecting = true
        }
        let task = sessionTask
        task?.cancel()
        waitTask?.cancel()
        connection?.close(code: 1000)
        await task?.value
        store?.tidyUp()
    }

    /// Ends the connection for good; waits until the daemon has heard of it, at most 3 seconds.
    ///
    /// What still waits fails with ``SyncClientError/closed(reason:)``.
    public func close() async {
        let task = sessionTask
        retire(reason: "close() was called")
        task?.cancel()
        waitTask?.cancel()
        connection?.close(code: 1000)
        await task?.value
        store?.tidyUp()
    }

    /// Where the connection stands at this moment; ``events()`` tells how it changes.
    public var connectionState: ConnectionState {
        switch phase {
        case .idle: .idle
        case .connecting:
            waiting.map { .waiting(until: $0.until, reason: $0.reason) } ?? .connecting
        case .online(let welcome): .online(welcome)
        case .closed(let reason): .closed(reason: reason)
        }
    }

    /// Makes sure that nothing happens any more.
    func retire(reason: String) {
        if case .closed = phase { return }
        phase = .closed(reason: reason)
        deadlineTask?.cancel()
        retryTask?.cancel()
        forgetTokens()
        for item in commands.removeAll() { finish(item, .failure(.closed(reason: reason))) }
        for channel in olderWaiters.keys {
            finishOlder(of: channel, .failure(.closed(reason: reason)))
        }
        windowTask?.cancel()
        resumeConnectWaiters(.failure(.closed(reason: reason)))
        for reader in readers { reader.queue?.finish() }
        for reader in listReaders.values.joined() { reader.queue?.finish() }
        for reader in unreadReaders.values.joined() { reader.queue?.finish() }
        readers = []
        listReaders = [:]
        unreadReaders = [:]
        endLiveLists()
    }

    func resumeConnectWaiters(_ result: Result<Welcome, SyncClientError>) {
        for waiter in connectWaiters { waiter.resume(returning: result) }
        connectWaiters = []
    }

    // MARK: What is known

    /// A new stream of what happens from now on, for one reader.
    ///
    /// It ends with the client. Any number of streams may be read at one time.
    public func events() -> AsyncStream<SyncEvent> {
        let queue = StreamQueue<SyncEvent>(capacity: ClientLimits.eventsWaitingMax)
        if case .closed = phase { queue.finish() }
        readers.append(WeakReader(queue: queue))
        return queue.stream
    }

    func emit(_ event: SyncEvent) {
        readers.removeAll { $0.queue == nil }
        for reader in readers {
            reader.queue?.append(event, orInstead: { [.eventsMissed, event] })
        }
    }

    func nextMutation() -> String {
        mutations.next()
    }

    func nextID() -> CommandID {
        lastID += 1
        return lastID
    }
}
