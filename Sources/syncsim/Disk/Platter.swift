// What a daemon leaves on its disk, and what a backup of it holds.

import EventModel

@testable import SyncDaemon

/// A store without a daemon.
struct Platter {
    let epoch: String
    let secret: DigestSecret
    private(set) var runs: [StoreRun] = []
    var state = MemoryStore.State()

    /// A new, empty one.
    init(_ choices: inout Choices) {
        let digits = String(choices.next(), radix: 16)
        epoch = String(repeating: "0", count: 16 - digits.count) + digits
        secret = .random(using: &choices)
    }

    /// Opens it for a new run of the daemon, which is kept at once.
    mutating func open(_ choices: inout Choices) -> MemoryStore {
        let digits = String(choices.next() >> 32, radix: 16)
        let id = String(repeating: "0", count: 8 - digits.count) + digits
        let began = max(state.last, state.clock.ceiling)
        runs.append(StoreRun(id: id, startedAfter: state.last, began: began))
        return MemoryStore(epoch: epoch, secret: secret, runs: runs, state: state)
    }
}
