// A real store on a disk that fills up, breaks and loses power at any moment of a transaction.

import Basis
import EventModel
import SQLiteFaults

@testable import SyncDaemon

/// Passes everything on, and notes what it was.
final class SimulatedStore: Store {
    enum Backing {
        case memory(MemoryStore)
        case files(SQLStore, FaultyDisk)
    }

    /// What becomes of the transaction under way.
    enum Fate {
        case good
        /// The disk is full from about the given call on.
        case full(atCall: Int)
        /// The power goes at the given call; at the last one of all: amid the sync.
        case powerLoss(atCall: Int)
        /// The disk fails to sync.
        case badSync
        /// The disk fails to read.
        case badRead(atCall: Int)
        /// A server commits, and says that no standby has it; a failover may follow.
        case unconfirmed
    }

    /// Whether a transaction is on the platter.
    enum Outcome {
        case durable
        case gone
        /// Only the next start tells.
        case unknown
    }

    let backing: Backing
    let platter: any Store
    let bug: PlantedBug?
    private var fate = Fate.good
    /// Whether the power goes after the sync, though before anybody hears of it.
    var survivesPowerLoss = false
    var operations: [StoredOperation] = []
    /// Of the last transaction.
    private(set) var outcome = Outcome.gone
    private var calls = 0
    /// Whether another daemon has the right to write.
    private(set) var isOusted = false
    /// For a planted bug: what the standby has of what was acknowledged.
    private(set) var confirmed: MemoryStore.State?
    /// For a planted bug: what this process believes that the platter says of time.
    private var promised: ClockRecord?

    init(on backing: Backing, bug: PlantedBug?) {
        self.backing = backing
        self.bug = bug
        platter =
            switch backing {
            case .memory(let store): store
            case .files(let store, _): store
            }
    }

    private var disk: FaultyDisk? {
        if case .files(_, let disk) = backing { disk } else { nil }
    }

    /// Decides what happens from now on.
    func meet(_ fate: Fate, _ choices: inout SeededGenerator) {
        self.fate = fate
        guard let disk else { return }
        disk.room = nil
        disk.changesUntilPowerLoss = nil
        disk.syncsUntilFailure = nil
        switch fate {
        case .good: break
        case .full(let call):
            disk.room = call * 1500
            disk.shortage = choices.chance(30) ? .quota : .space
        case .powerLoss(let call): disk.changesUntilPowerLoss = call
        case .badSync: disk.syncsUntilFailure = 0
        // What becomes of that in a file is the quarantine's, and lasts until somebody mends it.
        case .badRead, .unconfirmed: break
        }
    }

    /// Another daemon has begun a term.
    func oust() { isOusted = bug != .noFence }

    /// Whether nothing reaches the platter any more.
    var isDead: Bool { disk?.isDead ?? false }

    /// Whether the machine has no power, if a call failed.
    var hasLostPower: Bool {
        if case .powerLoss = fate { true } else { false }
    }

    /// The process is gone: what is still open writes nothing.
    func die() { disk?.die() }

    func call() throws(StoreError) {
        calls += 1
        guard !isOusted else {
            throw .server(name: "server", reason: "the term is over", advice: .ended)
        }
        guard disk == nil else { return }
        switch fate {
        case .full(let number) where calls >= number: throw .full
        case .powerLoss(let number) where calls >= number:
            throw .broken(code: 10, reason: "the power is gone")
        case .badRead(let number) where calls >= number:
            throw .broken(code: 10, reason: "the disk cannot read")
        default: return
        }
    }

    var epoch: String { platter.epoch }
    var runs: [StoreRun] { platter.runs }
    var secret: DigestSecret { platter.secret }
    var tombstoneFloor: Timetoken { platter.tombstoneFloor }
    var floors: StoreFloors {
        StoreFloors(tombstones: platter.tombstoneFloor, deletions: platter.deletionFloor)
    }
    var last: Timetoken { platter.last }

    func giveSpaceBack() throws(StoreError) -> Bool { try platter.giveSpaceBack() }
    func giveRoomBack() throws(StoreError) -> Bool { try platter.giveRoomBack() }
    func emptyLog() throws(StoreError) -> Bool { try platter.emptyLog() }
    var roomMissing: Int { platter.roomMissing }

    func begin() throws(StoreError) {
        operations = []
        outcome = .gone
        calls = 0
        try call()
        try platter.begin()
    }

    /// Somebody has seen what became of the last transaction, and does not see it again where
    /// another answer takes none.
    func forgetOutcome() {
        operations = []
        outcome = .gone
    }

    var clock: ClockRecord { promised ?? platter.clock }

    func ages() throws(StoreError) -> [AgeMark] {
        try call()
        return try platter.ages()
    }

    func add(_ mark: AgeMark) throws(StoreError) {
        try call()
        try platter.add(mark)
    }

    func forgetAges(before timetoken: Timetoken) throws(StoreError) {
        try call()
        try platter.forgetAges(before: timetoken)
    }

    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError) {
        var kept = clock
        if bug == .unkeptPosition { kept.ceiling = last }
        do throws(StoreError) {
            if disk == nil {
                try commitInMemory(through: last, kept)
            } else {
                outcome = .unknown
                try platter.commit(through: last, kept)
                outcome = .durable
            }
            if bug == .unkeptPosition { promised = clock }
        } catch {
            if error == .full { outcome = .gone }
            // Somebody takes what was written for what is kept.
            guard bug == .acknowledgedOnFullDisk, error == .full else { throw error }
            platter.rollback()
        }
    }

    private func commitInMemory(
        through last: Timetoken, _ clock: ClockRecord
    ) throws(StoreError) {
        switch fate {
        case .unconfirmed:
            try call()
            if bug == .noStandbyCheck, case .memory(let store) = backing {
                confirmed = confirmed ?? store.durable
                try platter.commit(through: last, clock)
                outcome = .durable
                return
            }
            if survivesPowerLoss {
                try platter.commit(through: last, clock)
                outcome = .durable
            }
            throw .server(name: "server", reason: "no standby has it", advice: .standby)
        case .powerLoss, .badSync:
            guard survivesPowerLoss else { throw .broken(code: 10, reason: "the power is gone") }
            try platter.commit(through: last, clock)
            outcome = .durable
            throw .broken(code: 10, reason: "the power is gone, but only after the sync")
        default:
            try call()
            try platter.commit(through: last, clock)
            outcome = .durable
        }
    }

    func rollback() {
        platter.rollback()
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        platter.makeReader
    }
}
