// What connects reactors with the threads that they must not know, and that must not know them.

import EventModel

/// Gets commits and answers to their reactors.
///
/// The ledger starts before the reactors do, so it is connected afterwards, once.
final class ReactorSwitch: Sendable {
    private let reactors = Locked<[Reactor]>([])
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    func connect(_ reactors: [Reactor]) {
        self.reactors.withLock { $0 = reactors }
    }

    /// Tells every reactor of a step, and each the answers of its own sessions.
    func publish(_ commit: Commit) {
        let reactors = reactors.withLock { $0 }
        var answers = [[Answer]](repeating: [], count: count)
        for answer in commit.answers { answers[answer.origin.reactor].append(answer) }
        for (number, reactor) in reactors.enumerated() {
            // Even without events: a reactor's position follows the ledger's.
            var part = commit
            part.answers = answers[number]
            reactor.post(.commit(part))
        }
    }

    func post(_ message: ReactorMessage, to number: Int) {
        reactors.withLock { $0[number] }.post(message)
    }
}

/// What a reactor's core is made of; carried to the reactor's thread.
struct ReactorParts: Sendable {
    let configuration: Configuration
    let ledger: LedgerThread
    let readers: ReaderPool
    let presence: PresenceThread
    let counters: Counters
    let admission: Admission

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
            digestKey: { [ledger] in ledger.secret.key(of: $0) },
            keysets: configuration.keysets,
            submit: { [ledger] in ledger.submit($0) },
            announce: { [ledger] in ledger.order.announce($0) },
            ask: { [readers] in readers.ask($0) },
            askPresence: { [presence] in presence.ask($0) }, groups: ledger.groups,
            newest: { [ledger] in ledger.order.visible },
            freshCursor: { [ledger] in ledger.order.now() }, wallTicks: Clock.wallTicks)
        let hub = Hub(
            reactor: number, position: engine.newest(),
            sendQueueBytesMax: configuration.sendQueueBytes, counters: counters,
            ask: engine.ask)
        return ReactorCore(
            hub: hub, engine: engine, counters: counters,
            commandsPerSecondMax: configuration.commandsPerSecond, answerHTTP: answerHTTP)
    }
}
