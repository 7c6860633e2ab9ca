// What brings commits and answers from the threads that know no reactor to their reactors.

import Basis

/// Gets each step and each answer to whom it concerns.
///
/// The ledger starts before the reactors do, so it is connected afterwards, once.
final class ReactorSwitch: CommitReceiver, ReadReceiver, PresenceReceiver {
    let interests = InterestTable()
    private let reactors = Locked<[Reactor]>([])

    func connect(_ reactors: [Reactor]) {
        self.reactors.withLock { $0 = reactors }
    }

    /// Tells each reactor what concerns it of a step: events that its sessions follow, and their
    /// answers; nothing when there are none.
    func publish(_ step: Commit) {
        let reactors = reactors.withLock { $0 }
        let wanted = interests.reactors(wanting: step.events)
        for (reactor, part) in zip(reactors, step.parts(for: reactors.count, wanted: wanted)) {
            if let part { reactor.post(.commit(part)) }
        }
    }

    func deliver(_ answer: ReadAnswer) {
        reactors.withLock { $0[answer.asker.reactor] }.post(.read(answer))
    }

    func deliver(_ answer: PresenceAnswer) {
        reactors.withLock { $0[answer.origin.reactor] }.post(.presence(answer))
    }
}
