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
    func makeCore(_ number: Int, routes: HTTPRoutes) -> ReactorCore {
        let engine = LocalEngine(
            reactor: number, ledger: ledger, readers: readers, presence: presence,
            interests: interests, quarantine: quarantine)
        let settings = HubSettings(
            sendQueueBytesMax: configuration.sendQueueBytes,
            recentBytesMax: Limits.recentBytesMax / configuration.reactorCount,
            window: configuration.reactorSettings.window(ofKeyset:))
        let hub = Hub(engine: engine, settings: settings, counters: counters)
        return ReactorCore(
            hub: hub, keysets: configuration.keysets, counters: counters,
            commandsPerSecondMax: configuration.commandsPerSecond, log: log, routes: routes)
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
