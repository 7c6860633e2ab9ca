// The engine of a simulated daemon: its threads are steps of one scheduler.

import EventModel

@testable import SyncDaemon

/// What one reactor of a simulated daemon asks; the daemon outlives it.
struct SimulatedEngine: Engine {
    let reactor: Int
    unowned let daemon: SimulatedDaemon
    unowned let readers: SimulatedReaders
    private let order: EventOrder
    private let epochs: Epochs
    private let secret: DigestSecret
    private let clock: SimulatedClock
    let groups: ChannelGroups
    /// Nobody in the simulator shows a token.
    let revocations = Revocations()
    let keyGrants = KeyGrants()
    let began: Timetoken

    init(
        reactor: Int, daemon: SimulatedDaemon, readers: SimulatedReaders, store: SimulatedStore
    ) {
        self.reactor = reactor
        self.daemon = daemon
        self.readers = readers
        order = daemon.order
        groups = daemon.groups
        clock = daemon.clock
        epochs = Epochs(store: store.epoch, runs: store.runs)
        secret = store.secret
        began = daemon.began
    }

    var epoch: String { epochs.text }

    func submit(_ write: Write) -> Bool { daemon.submit(Relay.carry(value: write)) }
    func commitSoon() { daemon.commitSoon() }
    func announce(_ announcement: Announcement) -> Announced { daemon.announce(announcement) }

    func ask(_ request: ReadRequest) -> Bool {
        if daemon.bug == .laggingSummary, case .summaries = request.query,
            daemon.isUnlucky(8)
        {
            return true
        }
        return readers.ask(request)
    }
    func askPresence(_ request: PresenceRequest) -> Bool { daemon.askPresence(request) }

    func follow(_ channel: Channel) -> (visible: Timetoken, durable: Timetoken) {
        daemon.interests.add(channel, of: reactor)
        return order.frontier
    }

    func unfollow(_ channel: Channel) { daemon.interests.remove(channel, of: reactor) }

    var newest: Timetoken { order.visible }
    var settled: (visible: Timetoken, durable: Timetoken) { order.settled }
    var tombstoneFloor: Timetoken { daemon.ignoresFloor ? .zero : daemon.floor }
    var deletionFloor: Timetoken { daemon.deletionFloor }

    func judge(_ cursor: Timetoken, of epoch: String?) -> CursorJudgement {
        epochs.judge(cursor, epoch, newest: order.visible)
    }

    func isAhead(_ cursor: Timetoken, of epoch: String?) -> Bool {
        daemon.isFollowing && daemon.bug != .judgeByVisible && cursor > order.visible
            && (epoch == nil || epoch == self.epoch)
    }

    func catchUp() -> Int { daemon.catchUp() }
    var caughtUp: Int { daemon.marks.newest }

    func freshCursor(for origin: Origin) -> Announced { daemon.freshCursor(for: origin) }
    func canRead(_ channel: Channel, after position: Timetoken) -> Bool { true }
    var canReadFiles: Bool { true }
    func digestKey(of channel: Channel) -> DigestKey { secret.key(of: channel) }
    func wallTicks() -> UInt64 { clock.ticks() }
}
