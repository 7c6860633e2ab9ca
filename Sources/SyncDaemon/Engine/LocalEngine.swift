// The engine of a daemon that is alone: the threads of its own process.

import EventModel

/// The ledger, the readers and presence of this process.
struct LocalEngine: Engine {
    private(set) var reactor: Int
    let ledger: LedgerDoor
    let readers: ReaderPool
    let presence: any PresenceDoor
    let interceptors: InterceptorThread
    let interests: InterestTable
    let quarantine: Quarantine
    /// `nil`: nothing is traced.
    let traces: TraceSampler?

    /// The same for another reactor.
    func serving(_ reactor: Int) -> LocalEngine {
        var engine = self
        engine.reactor = reactor
        return engine
    }

    var epoch: String { ledger.epochs.text }
    var began: Timetoken { ledger.began }
    var groups: ChannelGroups { ledger.groups }
    var revocations: Revocations { ledger.revocations }
    var keyGrants: KeyGrants { ledger.keyGrants }

    func submit(_ write: Write) -> Bool {
        guard !ledger.isKeptWaiting else { return false }
        var write = write
        write.asked = Clock.monotonicMicroseconds()
        if let traces, let name = write.tracedName {
            write.trace = traces.sample(name, in: write.channel, at: write.asked)
        }
        return switch interceptors.take(.write(write)) {
        case .passes: ledger.requests.put(.write(write), wakesReader: false)
        case .waits: true
        case .full: false
        }
    }

    /// Once for everything that came in one turn.
    func commitSoon() { ledger.requests.wakeReader() }

    func announce(_ announcement: Announcement) -> Announced {
        guard let origin = announcement.origin else { return ledger.order.announce(announcement) }
        // It would wait for a place until nobody wants to hear it any more.
        guard !ledger.isKeptWaiting else { return .refused }
        return switch interceptors.take(.announcement(announcement, origin: origin)) {
        case .passes: ledger.order.announce(announcement)
        case .waits: .waits
        case .full: .refused
        }
    }

    func ask(_ request: ReadRequest) -> Bool { readers.ask(request) }
    func askPresence(_ request: PresenceRequest) -> Bool { presence.ask(request) }

    func follow(_ channel: Channel) -> (visible: Timetoken, durable: Timetoken) {
        interests.add(channel, of: reactor)
        return ledger.order.frontier
    }

    func unfollow(_ channel: Channel) { interests.remove(channel, of: reactor) }

    var newest: Timetoken { ledger.order.visible }
    var settled: (visible: Timetoken, durable: Timetoken) { ledger.order.settled }
    var tombstoneFloor: Timetoken { ledger.tombstoneFloor }
    var deletionFloor: Timetoken { ledger.deletionFloor }

    func judge(_ cursor: Timetoken, of epoch: String?) -> CursorJudgement {
        ledger.epochs.judge(cursor, epoch, newest: ledger.order.visible)
    }

    func isAhead(_ cursor: Timetoken, of epoch: String?) -> Bool {
        // However far: another daemon's clock may be, too. A mark tells whether it is one's at all.
        ledger.isElsewhere && cursor > ledger.order.visible
            && (epoch == nil || epoch == self.epoch)
    }

    func catchUp() -> Int { ledger.marks.ask { ledger.requests.put(.mark($0)) } }
    var caughtUp: Int { ledger.marks.newest }

    func freshCursor(for origin: Origin) -> Announced { ledger.order.now(for: origin) }

    func canRead(_ channel: Channel, after position: Timetoken) -> Bool {
        quarantine.canRead(channel, after: position)
    }

    var canReadFiles: Bool { !quarantine.holds(.files) }

    func digestKey(of channel: Channel) -> DigestKey { ledger.secret.key(of: channel) }
    func wallTicks() -> UInt64 { ledger.clock.ticks() }
}

extension Write {
    /// What a trace is called; `nil`: it is of nothing that people do to each other.
    fileprivate var tracedName: String? {
        switch operation {
        case .publish: "publish"
        case .add: "addAction"
        case .remove, .removeAction: "removeAction"
        default: nil
        }
    }
}
