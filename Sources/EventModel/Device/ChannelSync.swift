// How one channel's base becomes equal to the server's, and stays so: three rungs.
//
// A device subscribes with its cursor and digest. The server goes on from there (delta), asks for
// coded symbols (repair), or sends everything (snapshot). After each batch that carries the
// server's state the device compares; on a mismatch it climbs one rung.

/// The state machine of one followed channel.
///
/// Pure: it gets replies and batches and says what to ask, and which rows changed. What it asks
/// carries an attempt number; a reply to an earlier attempt is ignored.
public struct ChannelSync: Sendable {
    public let name: String
    /// What the device shows.
    public internal(set) var base: ChannelBase
    /// What will take the place of ``base`` once it is complete, so that nothing disappears while
    /// a snapshot comes in.
    public internal(set) var incoming: ChannelBase?
    /// How much of the channel is wanted; `nil`: all of it.
    public let window: ChannelWindow?
    public internal(set) var phase = Phase.offline
    /// The last rung that the server chose in this session.
    public internal(set) var rung: Rung?
    /// Whether the rows were compared with the server's at ``ChannelBase/cursor``, and equal.
    public internal(set) var isVerified = false
    /// What reactions there are, as the server last said; `nil` until then.
    var heardRules: ReactionRules?
    /// The same; until then what holds where nothing is said.
    public var rules: ReactionRules { heardRules ?? ReactionRules() }

    /// The newest event of this session that is not stored: a page may bring it again.
    private var announcedThrough = Timetoken.zero
    /// The newest stored event that a tail told: its cursor may be before it, where summaries are
    /// owed.
    var toldThrough = Timetoken.zero
    var epoch = ""
    var attempt = 0
    /// What was asked before what is held of a channel, and what is wished of it.
    var pages = PageQuestions()
    /// Whether what was missed is still to come.
    var catchesUp = false
    /// What the server said last in this session that the channel comes to, and when.
    var told: (cursor: Timetoken, state: Digest)?
    var needsRepair = false
    /// Repairs since the digests last agreed at a batch.
    var repairs = 0
    /// Snapshots of this session that were not equal to the server's state either.
    var failedSnapshots = 0
    /// The server contradicts itself: it is asked again at ``retry()``.
    var isDoubted = false
    /// Whether everything comes anew, and was not compared yet.
    var isSnapshot = false
    /// The server lost track of a repair once in this session.
    private var wasInterrupted = false
    var symbols = SymbolQuestions()
    /// Whether it began after the channel's beginning, for whoever wants to hear what happens.
    ///
    /// What was before is not there: so it is not kept, and never compared.
    public let isTail: Bool
    /// How much a tail is told of actions.
    package let actions: ActionsDetail
    /// Whether a tail is to begin where the server is.
    var startsNow = false

    public init(
        _ name: String, base: ChannelBase = ChannelBase(), rules: ReactionRules? = nil,
        window: ChannelWindow? = nil
    ) {
        self.name = name
        self.window = window
        heardRules = rules
        isTail = false
        actions = .rows
        self.base = base
        if window == nil ? base.rest.after > .zero : base.cursor == .zero {
            // What was kept cannot be made whole; it is shown until everything is there.
            startAnew()
        }
    }

    /// - Parameter cursor: Where the tail begins; `nil`: where the server is.
    init(tailOf name: String, after cursor: Timetoken?, actions: ActionsDetail = .rows) {
        self.name = name
        self.actions = actions
        window = nil
        base = ChannelBase(cache: DeviceCache(cursor: cursor ?? .zero))
        isTail = true
        startsNow = cursor == nil
    }

    /// Whether ``base`` is what the server has, in the order of its events.
    var followsServer: Bool { phase == .following && incoming == nil && !base.isUnopened }

    /// What is compared with the server: what comes anew, if anything does.
    var compared: ChannelBase {
        get { incoming ?? base }
        _modify {
            if incoming == nil { yield &base } else { yield &incoming! }
        }
    }

    /// Whether the server does not let it be had.
    var isRefused: Bool { if case .refused = phase { true } else { false } }

    func isRepairing(_ attempt: Int) -> Bool { phase == .repairing && attempt == self.attempt }

    // MARK: The connection

    /// A session began.
    mutating func connect(epoch: String) -> Step {
        self.epoch = epoch
        announcedThrough = .zero
        rung = nil
        failedSnapshots = 0
        isDoubted = false
        wasInterrupted = false
        pages.connect()
        return subscribe()
    }

    mutating func disconnect() {
        phase = .offline
        isVerified = false
        attempt += 1
        forgetPage()
    }

    /// Asks again what was not answered for want of room, or was contradicted.
    mutating func retry() -> Step {
        if phase == .waiting { return subscribe() }
        if isDoubted, phase == .following {
            (isDoubted, repairs, failedSnapshots) = (false, 0, 0)
            return repair()
        }
        var step = Step()
        pages.isRefused = false
        askForPage(&step)
        return step
    }

    /// Asks again for what a token did not allow: the server has another one.
    mutating func allowed() -> Step {
        guard case .refused(let error) = phase, error.code == "forbidden" else { return retry() }
        return subscribe()
    }

    /// Asks for a comparison and, if need be, a repair, whatever is thought of the base.
    mutating func repair() -> Step {
        needsRepair = true
        return phase == .following ? subscribe() : Step()
    }

    mutating func subscribe() -> Step {
        attempt += 1
        phase = .subscribing
        isVerified = false
        (told, catchesUp) = (nil, false)
        forgetPage()
        // Pages cost less than to find out how a part differs.
        if window != nil, needsRepair { startAnew() }
        // What was heard while nothing was held may be of a store that was set back since.
        if compared.isUnopened { compared = .window(epoch: compared.epoch) }
        var step = Step(questions: [.subscribe(request, attempt: attempt)])
        // Its first page need not wait for the reply.
        if compared.isUnopened { askForPage(&step) }
        return step
    }

    private var request: SubscribeRequest {
        let from = compared
        let hasRows = from.cursor > .zero && !from.isUnopened
        // What is before a window may be known so wrongly that less than nothing is left: that is
        // not said, and the next state tells.
        let state = from.state.flatMap { $0.count < 0 ? nil : $0 }
        return SubscribeRequest(
            channel: name, cursor: startsNow || from.isUnopened ? nil : from.cursor,
            epoch: hasRows ? from.epoch : nil,
            base: hasRows && from.key != nil && actions == .rows ? state : nil,
            asksForRepair: needsRepair && hasRows && actions == .rows, actions: actions,
            window: window == nil ? nil : from.rest.after)
    }

    /// The request of an attempt once more; `nil` when that is over.
    func request(attempt: Int) -> SubscribeRequest? {
        phase == .subscribing && attempt == self.attempt ? request : nil
    }

    // MARK: Replies

    /// The server says how the subscription starts.
    mutating func subscribed(_ reply: SubscribedChannel, attempt: Int) -> Step {
        guard phase == .subscribing, attempt == self.attempt else { return Step() }
        heardRules = reply.rules
        var step = Step()
        switch reply.mode {
        case .current, .delta:
            rung = isSnapshot ? .snapshot : reply.mode == .current ? .current : .delta
            needsRepair = false
            accept(reply, &step)
            phase = .following
            catchesUp = reply.mode == .delta
            if let state = reply.state { compare(with: state, at: reply.cursor, &step) }
            cutToSize(&step)
            askForPage(&step)
        case .snapshot:
            restart(&step)
            accept(reply, &step)
            phase = .following
            // The server has nothing at all, and no batch will say so.
            if let state = reply.state { compare(with: state, at: reply.cursor, &step) }
        case .repair:
            startRepair(reply, &step)
        case .window where window == nil:
            // It asks for no part; what says so all the same is not known to have all of it.
            startSnapshot(&step)
        case .window:
            restart(&step)
            accept(reply, &step)
            phase = .following
            askForPage(&step)
        }
        return step
    }

    /// The server refused a question of ours.
    mutating func refused(_ error: ProtocolError, attempt: Int) -> Step {
        guard phase == .subscribing || phase == .repairing, attempt == self.attempt else {
            return Step()
        }
        self.attempt += 1
        forgetPage()
        var step = Step()
        if error.isWorthRetrying {
            phase = .waiting
        } else if error.code == "no_repair", !wasInterrupted {
            // The server forgot the symbols; once more from the start.
            wasInterrupted = true
            step = subscribe()
        } else if phase == .repairing, error.code != "store_damaged" {
            startSnapshot(&step)
        } else {
            refuse(error, &step)
        }
        return step
    }

    // MARK: Batches

    /// What a batch has that is to be told, once: what is not stored, whatever the base waits for,
    /// and of a tail everything.
    mutating func takeAnnounced(from batch: Batch) -> [Envelope] {
        let news = batch.envelopes.filter {
            $0.isStored
                ? isTail && phase == .following && $0.timetoken > max(base.cursor, toldThrough)
                : $0.timetoken > announcedThrough
        }
        if let last = news.last(where: { !$0.isStored }) { announcedThrough = last.timetoken }
        if let last = news.last(where: \.isStored) { toldThrough = last.timetoken }
        return news
    }

    mutating func apply(_ batch: Batch) -> Step {
        guard phase == .following else { return Step() }
        var step = Step(hasMoved: true)
        if incoming != nil {
            _ = incoming?.apply(batch)
            step.hasMoved = false
        } else {
            // A page lacks what a later one undoes: it takes the last one to say what there is.
            let isUnproven = batch.cursor > base.cursor && batch.isPart
            let start = base.rest.after
            step.rows = base.apply(batch)
            if base.rest.after > start { wishBack(step.rows) }
            // What is summed up may lack a removal that was forgotten: as long as nothing is known
            // of the rest nothing can be compared.
            if !step.rows.isEmpty || isUnproven || base.rest.digest == nil { isVerified = false }
        }
        if let state = batch.state { compare(with: state, at: batch.cursor, &step) }
        cutToSize(&step)
        askForPage(&step)
        return step
    }
}

extension Batch {
    /// Whether more is to come before anybody says what the channel comes to: not where nothing of
    /// it is stored.
    fileprivate var isPart: Bool {
        state == nil && (envelopes.isEmpty || envelopes.contains(where: \.isStored))
    }
}
