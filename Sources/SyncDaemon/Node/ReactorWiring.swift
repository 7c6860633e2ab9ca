// What connects reactors with the threads that they must not know, and that must not know them.

import Basis
import EventModel

/// Gets commits and answers to their reactors.
///
/// The ledger starts before the reactors do, so it is connected afterwards, once.
final class ReactorSwitch: Sendable {
    let interests = InterestTable()
    private let reactors = Locked<[Reactor]>([])
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    func connect(_ reactors: [Reactor]) {
        self.reactors.withLock { $0 = reactors }
    }

    /// Tells each reactor what concerns it of a step: events that its sessions follow, and their
    /// answers; nothing when there are none.
    func publish(_ commit: Commit) {
        let reactors = reactors.withLock { $0 }
        let parts = commit.parts(for: count, wanted: interests.reactors(wanting: commit.events))
        for (number, reactor) in reactors.enumerated() {
            if let part = parts[number] { reactor.post(.commit(part)) }
        }
    }

    func post(_ message: ReactorMessage, to number: Int) {
        reactors.withLock { $0[number] }.post(message)
    }
}

/// What a reactor's core is made of; carried to the reactor's thread.
struct ReactorParts: Sendable {
    let configuration: Configuration
    let interests: InterestTable
    let ledger: LedgerThread
    let readers: ReaderPool
    let quarantine: Quarantine
    let presence: PresenceThread
    let counters: Counters
    let admission: Admission
    let log: Log

    /// Makes the core, on the thread that will own it.
    func makeCore(
        _ number: Int, answerHTTP: @escaping (HTTPRequest) -> HTTPResponse
    ) -> ReactorCore {
        let engine = Engine(
            reactor: number, epoch: ledger.epochs.text,
            judge: { [ledger] cursor, epoch in
                ledger.epochs.judge(cursor, epoch, newest: ledger.order.visible)
            },
            tombstoneFloor: { [ledger] in ledger.tombstoneFloor },
            deletionFloor: { [ledger] in ledger.deletionFloor },
            digestKey: { [ledger] in ledger.secret.key(of: $0) },
            keysets: configuration.keysets,
            submit: { [ledger] in ledger.submit($0) },
            commitSoon: { [ledger] in ledger.wake() },
            announce: { [ledger] in ledger.order.announce($0) },
            ask: { [readers] in readers.ask($0) },
            askPresence: { [presence] in presence.ask($0) }, groups: ledger.groups,
            newest: { [ledger] in ledger.order.visible },
            settled: { [ledger] in ledger.order.settled },
            freshCursor: { [ledger] in ledger.order.now(for: $0) }, began: ledger.began,
            wallTicks: ledger.clock.ticks,
            canRead: { [quarantine] in quarantine.canRead($0, after: $1) })
        let settings = HubSettings(
            sendQueueBytesMax: configuration.sendQueueBytes,
            recentBytesMax: Limits.recentBytesMax / configuration.reactorCount,
            window: configuration.reactorSettings.window(ofKeyset:),
            tombstoneFloor: engine.tombstoneFloor, deletionFloor: engine.deletionFloor)
        let hub = Hub(
            reactor: number, position: engine.newest(), settings: settings, counters: counters,
            follow: { [interests, ledger] channel in
                interests.add(channel, of: number)
                return ledger.order.frontier
            },
            unfollow: { [interests] in interests.remove($0, of: number) },
            ask: engine.ask)
        return ReactorCore(
            hub: hub, engine: engine, counters: counters,
            commandsPerSecondMax: configuration.commandsPerSecond, log: log, answerHTTP: answerHTTP)
    }
}

extension Configuration {
    /// What reactors take anew when the configuration is reloaded.
    var reactorSettings: ReactorSettings {
        ReactorSettings(
            keysets: keysets, allowedOrigins: allowedOrigins, sendQueueBytesMax: sendQueueBytes,
            batchWindow: batchWindow, commandsPerSecondMax: commandsPerSecond)
    }
}
