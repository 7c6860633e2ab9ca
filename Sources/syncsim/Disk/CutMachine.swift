// A machine whose power goes amid its writes: the real ledger and store on a disk that forgets.

import Basis
import EventModel
import SQLite
import SQLiteFaults

@testable import SyncDaemon

/// One file through many power cuts.
///
/// What a cut leaves is all that was synced and any part of the rest, sector by sector
/// (`DiskFile.survivor`). A write that was under way is asked for again under its mutation, as
/// clients do; then the rows have to be exactly those of all writes.
struct CutMachine {
    private(set) var cutsAtStart = 0
    private(set) var acknowledged = 0
    private(set) var unknown = 0
    private(set) var survived = 0

    private let seed: UInt64
    private let isDiskHonest: Bool
    private var choices: SeededGenerator
    private var contents: FaultyDisk.Contents = [:]
    private var wall: UInt64 = 17_000_000_000_000_000
    private var model = CutModel()
    /// What nobody was told of when the power went.
    private var pending: [Write] = []
    private var writeCount: Int64 = 0
    private var lives = 0

    private static let path = "/var/lib/syncdaemon/syncdaemon.db"
    private static let channels = [Channel("room"), Channel("den")]

    init(seed: UInt64, isDiskHonest: Bool) {
        self.seed = seed
        self.isDiskHonest = isDiskHonest
        choices = SeededGenerator(seed: seed)
    }

    /// One life, which a power cut ends.
    mutating func live() throws(BrokenPromise) {
        lives += 1
        let disk = FaultyDisk(contents)
        disk.forgetsSyncs = !isDiskHonest
        // Two in ten fall into the start.
        if choices.chance(20) { disk.changesUntilPowerLoss = choices.below(30) }
        if let store = try open(disk) {
            try work(on: store, disk)
        } else {
            cutsAtStart += 1
        }
        contents = disk.survivors(seed: choices.next())
        try checkFile()
    }

    /// - Returns: `nil` when the power went meanwhile.
    private mutating func open(_ disk: FaultyDisk) throws(BrokenPromise) -> SQLStore? {
        do throws(StoreError) {
            let store = try SQLStore(
                path: Self.path, vfs: disk.vfsName, lock: nil, using: &choices, resume: { $0 })
            return disk.isDead ? nil : store
        } catch {
            guard disk.isDead else { throw broken("the store does not open: \(error)") }
            return nil
        }
    }

    /// Writes until the power goes.
    private mutating func work(on store: SQLStore, _ disk: FaultyDisk) throws(BrokenPromise) {
        let clock = CutClock(wall)
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60, deletedRowsMax: 5) {
            clock.next()
        }
        disk.changesUntilPowerLoss = nil
        try settle(ledger, store)
        disk.changesUntilPowerLoss = choices.below(choices.chance(50) ? 40 : 400)
        while !disk.isDead {
            var failure: StoreError?
            switch choices.below(20) {
            case 0: ledger.emptyLog(failure: &failure)
            case 1...5 where ledger.hasWork:
                if let commit = ledger.work(failure: &failure) {
                    try take(commit, isDead: disk.isDead)
                }
            default:
                let batch = (0...choices.below(8)).map { _ in makeWrite() }
                pending += batch
                try take(ledger.commit(batch, failure: &failure), isDead: disk.isDead)
            }
            if let failure, !disk.isDead { throw broken("a healthy disk says \(failure)") }
        }
        unknown += pending.count
        wall = clock.now
    }

    /// Asks again for what was under way, and compares all that there is.
    private mutating func settle(_ ledger: Ledger, _ store: SQLStore) throws(BrokenPromise) {
        let before = try stored(store)
        let known = model
        let unknownCount = pending.count
        var failure: StoreError?
        // A large deletion takes its time: its answer comes from a later step.
        let hasDeletion = pending.contains { $0.operation.mayBeLarge }
        if !pending.isEmpty {
            try take(ledger.commit(pending, failure: &failure), isDead: false)
        }
        while !pending.isEmpty, ledger.hasWork {
            if let commit = ledger.work(failure: &failure) { try take(commit, isDead: false) }
        }
        guard pending.isEmpty, failure == nil else { throw broken("no answer to \(pending)") }
        let after = try stored(store)
        guard after == model else {
            throw broken("\(after.differences(from: model)) after a power cut")
        }
        // A commit is there as a whole or not at all; a deletion has one of its own.
        guard hasDeletion || before == known || before == after else {
            throw broken("half of a commit: \(before.differences(from: known))")
        }
        survived += before == known ? 0 : unknownCount
    }

    /// Believes what was answered; the rest stays under way.
    private mutating func take(_ commit: Commit, isDead: Bool) throws(BrokenPromise) {
        for answer in commit.answers {
            let number = answer.origin.command
            guard let index = pending.firstIndex(where: { $0.origin.command == number }) else {
                throw broken("two answers to one write: \(answer)")
            }
            guard case .success(let reply) = answer.result else {
                guard isDead else { throw broken("\(pending[index]) was refused: \(answer)") }
                continue
            }
            model.apply(reply, to: pending.remove(at: index))
            acknowledged += 1
        }
    }

    private mutating func makeWrite() -> Write {
        writeCount += 1
        let channel = choices.pick(Self.channels)
        let message = model.someMessage(in: channel, &choices) ?? Timetoken(rawValue: 1)
        let key = MessageAction.Key(
            messageTimetoken: message, type: "reaction", value: choices.pick(["👍", "👎"]),
            uuid: choices.pick(["ada", "bob"]))
        let size = choices.pick([1, 100, 1000, 9000])
        let text = "\"\(writeCount)-" + String(repeating: "x", count: size) + "\""
        let operation: Write.Operation =
            switch choices.below(20) {
            case 0..<10: .publish(Message(payload: text))
            case 10..<16: .add(key)
            case 16..<18: .remove(key, observed: nil)
            case 18: .clear(makeClearing(of: key))
            default: .deleteMessages(after: .zero, through: message)
            }
        return Write(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 0), command: writeCount),
            author: Author(userID: key.uuid, deviceID: "phone"), channel: channel,
            operation: operation, mutation: "m\(writeCount)")
    }

    private mutating func makeClearing(of key: MessageAction.Key) -> Clearing {
        switch choices.below(3) {
        case 0: Clearing(messageTimetoken: key.messageTimetoken)
        case 1: Clearing(type: key.type, value: key.value)
        default: Clearing(userID: key.uuid)
        }
    }

    private func stored(_ store: SQLStore) throws(BrokenPromise) -> CutModel {
        do throws(StoreError) {
            let reader = try store.makeReader()
            var model = CutModel()
            for channel in Self.channels {
                model.channels[channel] = .init(try StoredChannel(channel, from: reader))
            }
            return model
        } catch {
            throw broken("the rows cannot be read: \(error)")
        }
    }

    /// Has SQLite look at every page of what is left, on a copy.
    private func checkFile() throws(BrokenPromise) {
        guard contents[Self.path] != nil else { return }
        let disk = FaultyDisk(contents)
        var lines: [String] = []
        do throws(StoreError) {
            let connection = try StoreConnection(path: Self.path, vfs: disk.vfsName)
            try connection.prepare("PRAGMA integrity_check").query { row in
                lines.append(row.text(0))
                return true
            }
        } catch {
            throw broken("the file cannot be checked: \(error)")
        }
        guard lines == ["ok"] else { throw broken("the file is damaged: \(lines)") }
    }

    private func broken(_ what: String) -> BrokenPromise {
        BrokenPromise(
            "power cut \(lives) of the machine with seed \(seed): \(what)")
    }
}

/// A clock that goes on by a tick with each reading.
private final class CutClock {
    private(set) var now: UInt64

    init(_ now: UInt64) {
        self.now = now
    }

    func next() -> UInt64 {
        now += 1
        return now
    }
}
