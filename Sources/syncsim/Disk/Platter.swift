// What a daemon leaves on its disk, and what a backup of it holds.

import Basis
import EventModel
import SQLiteFaults

@testable import SyncDaemon

/// A store without a daemon.
struct Platter {
    /// What a store in memory would have in its file.
    struct Memory {
        let epoch: String
        let secret: DigestSecret
        var runs: [StoreRun] = []
        var state = MemoryStore.State()
    }

    enum Medium {
        /// A model of a store: fast.
        case memory(Memory)
        /// The files of SQLite's.
        case files(FaultyDisk.Contents)
    }

    private(set) var medium: Medium

    private static let path = "/var/lib/syncdaemon/syncdaemon.db"

    /// A new, empty one.
    init(isFile: Bool, _ choices: inout SeededGenerator) {
        guard !isFile else {
            medium = .files([:])
            return
        }
        medium = .memory(
            Memory(epoch: makeEpoch(using: &choices), secret: .random(using: &choices)))
    }

    private init(_ medium: Medium) {
        self.medium = medium
    }

    /// Opens it for a new run of the daemon, which is kept at once.
    ///
    /// - Parameter changesUntilPowerLoss: The start itself may be cut off.
    mutating func open(
        _ choices: inout SeededGenerator, bug: PlantedBug?, changesUntilPowerLoss: Int? = nil,
        resume: (ClockAnchor?) -> ClockAnchor?
    ) throws(StoreError) -> SimulatedStore {
        switch medium {
        case .memory(var memory):
            if bug == .noCeiling { memory.state.clock.ceiling = memory.state.last }
            let now = resume(memory.state.clock.anchor)
            let end = max(memory.state.last, memory.state.clock.ceiling)
            let began = max(end, Timetoken(rawValue: now?.ticks ?? 0))
            memory.runs.append(
                StoreRun(after: memory.state.last, began: began, using: &choices))
            medium = .memory(memory)
            let store = MemoryStore(
                epoch: memory.epoch, secret: memory.secret, runs: memory.runs, state: memory.state)
            return SimulatedStore(on: .memory(store), bug: bug)
        case .files(let contents):
            let disk = FaultyDisk(contents)
            disk.changesUntilPowerLoss = changesUntilPowerLoss
            do throws(StoreError) {
                let store = try SQLStore(
                    path: Self.path, vfs: disk.vfsName, lock: nil, using: &choices,
                    resume: resume)
                disk.changesUntilPowerLoss = nil
                return SimulatedStore(on: .files(store, disk), bug: bug)
            } catch {
                if disk.isDead { medium = .files(disk.survivors(seed: choices.next())) }
                throw error
            }
        }
    }

    /// What a daemon leaves that is killed now, or that the power leaves.
    func left(by store: SimulatedStore, isPowerLoss: Bool, _ choices: inout SeededGenerator)
        -> Platter
    {
        switch (store.backing, medium) {
        case (.memory(let memoryStore), .memory(var memory)):
            memory.state = store.confirmed ?? memoryStore.durable
            return Platter(.memory(memory))
        case (.files(_, let disk), _):
            let isLost = isPowerLoss || disk.isDead
            return Platter(.files(isLost ? disk.survivors(seed: choices.next()) : disk.contents))
        case (.memory, .files): preconditionFailure("A store changed its medium.")
        }
    }
}
