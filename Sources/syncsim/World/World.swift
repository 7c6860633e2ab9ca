// One seed's world: a daemon, its devices, everything between them, and those who watch.

import EventModel

@testable import SyncDaemon

/// A broken promise.
struct Violation: Error, CustomStringConvertible {
    let seed: UInt64
    let invariant: String
    let text: String
    /// Simulated seconds since the world began.
    let second: Double

    var description: String { "seed \(seed): \(invariant) after \(second) s: \(text)" }
}

/// Everything, advanced by one scheduler in one thread.
final class World {
    let seed: UInt64
    let bug: PlantedBug?
    let setting: Setting
    let scheduler = Scheduler()
    let clock = WallClock()
    var choices: Choices
    var faults = Faults()
    var tally = Tally()
    private(set) var truth = Truth()
    private(set) var devices: [SimulatedDevice] = []
    private(set) var daemon: SimulatedDaemon?
    private(set) var violation: Violation?
    private var platter: Platter
    private var store: SimulatedStore?
    private var isStarting = false
    private var lastSession: UInt32 = 0
    private var lastMutation = 0
    /// The newest event that reactors were told of, in this life of the daemon.
    private var visible = Timetoken.zero
    /// The wall clock does not step back beyond it.
    private(set) var earliestTicks: UInt64 = 0
    private let write: ((String) -> Void)?

    /// - Parameter write: Takes the lines of a trace.
    init(seed: UInt64, bug: PlantedBug? = nil, write: ((String) -> Void)? = nil) {
        self.seed = seed
        self.bug = bug
        self.write = write
        choices = Choices(seed: seed)
        setting = Setting(&choices)
        platter = Platter(&choices)
        trace("\(setting)")
        start()
        for number in 0..<setting.devices {
            devices.append(
                SimulatedDevice(
                    userID: "u\(number % setting.users)", deviceID: "d\(number)",
                    channels: setting.channels, in: self))
        }
        strikeLater()
        bystandLater()
    }

    // MARK: What happens

    /// Lives through the faults and the calm after them.
    ///
    /// - Returns: How often everything happened.
    func run() throws(Violation) -> Tally {
        defer {
            daemon?.die()
            scheduler.clear()
        }
        try proceed(until: setting.duration)
        settle()
        var rest = 0
        // Long enough for heartbeats to fail and for snapshots to come in; and a reactor that was
        // stalled last tells nobody anything for some seconds.
        for _ in 0..<240 where rest < 8 {
            try proceed(until: scheduler.now + Microseconds.second)
            rest = devices.allSatisfy(\.isAtRest) ? rest + 1 : 0
        }
        if rest < 8 {
            violation(
                "I6", "it never came to rest: \(devices.filter { !$0.isAtRest }.map(\.state))")
        } else {
            compare()
        }
        if let violation { throw violation }
        tally.count("simulated seconds", Int(scheduler.now / Microseconds.second))
        tally.count("steps", scheduler.count)
        return tally
    }

    /// Whether faults and wishes still come.
    var isEventful: Bool { !faults.isOver }

    private func proceed(until end: UInt64) throws(Violation) {
        while violation == nil, scheduler.step(until: end) { clock.advance(to: scheduler.now) }
        if let violation { throw violation }
    }

    /// Nothing goes wrong any more.
    private func settle() {
        trace("=== the faults are over")
        faults.end()
        for device in devices {
            device.heal()
            device.hangUp(silently: false)
        }
        if daemon == nil { start() }
    }

    /// All devices equal the server, row by row.
    private func compare() {
        for device in devices {
            for difference in device.witness.differences(&device.core, setting.channels) {
                violation("I6", difference)
            }
        }
        checkStore()
    }

    private func strikeLater() {
        scheduler.after(choices.span(Microseconds.second / 10, setting.peace)) { [weak self] in
            guard let self, isEventful else { return }
            faults.strike(self)
            strikeLater()
        }
    }

    private func bystandLater() {
        scheduler.after(choices.span(Microseconds.second / 10, 3 * Microseconds.second)) {
            [weak self] in
            guard let self, isEventful else { return }
            Bystanders.act(self)
            bystandLater()
        }
    }

    // MARK: The daemon's lives

    private func start() {
        guard daemon == nil else { return }
        let store = SimulatedStore(on: platter.open(&choices), bug: bug)
        self.store = store
        visible = store.last
        checkStore()
        do throws(StoreError) {
            daemon = try SimulatedDaemon(on: store, in: self)
        } catch {
            violation("I9", "the daemon does not start: \(error)")
        }
        trace("--- the daemon starts")
    }

    /// The process is gone, and comes back after a while.
    func crash(_ reason: String) {
        guard let daemon, let store else { return }
        trace("--- the daemon dies: \(reason)")
        daemon.die()
        platter.state = store.durable
        self.daemon = nil
        self.store = nil
        scheduler.after(choices.span(Microseconds.second / 10, 10 * Microseconds.second)) {
            [weak self] in
            self?.start()
        }
    }

    /// The process is asked to stop, and comes back.
    func drain() {
        guard let draining = daemon else { return }
        let milliseconds = UInt64(Limits.drainSeconds) * 1000
        let deadline = scheduler.now / Microseconds.millisecond + milliseconds
        draining.isAccepting = false
        for reactor in draining.reactors { reactor.post(.drain(deadline: deadline)) }
        scheduler.after(milliseconds * Microseconds.millisecond) { [weak self] in
            guard let self, daemon === draining else { return }
            crash("it has drained")
        }
    }

    /// The disk, as a backup would see it; `nil` while nobody runs.
    var currentPlatter: Platter? {
        guard let store else { return nil }
        var copy = platter
        copy.state = store.durable
        return copy
    }

    /// Puts another disk in the place of the present one.
    func replace(_ platter: Platter, _ truth: Truth) {
        // Whoever puts a store back sets the clock right: a device tells what it did in the lost
        // one from what is in this one by their timetokens.
        earliestTicks = max(earliestTicks, truthEnd.rawValue + 1)
        clock.step(by: 0, notBefore: earliestTicks)
        crash("its store is taken away")
        self.platter = platter
        self.truth = truth
        for device in devices {
            // What was under way says something about the other store.
            device.hangUp(silently: false)
            for channel in setting.channels { device.witness.taint(channel) }
        }
    }

    // MARK: Witnesses

    /// A transaction ended, well or not.
    func witness(_ commit: Commit, of writes: [Write], _ store: SimulatedStore, failed: Bool) {
        tally.count("commit")
        if !failed {
            var model = CommitModel(commit, store.operations, after: truth)
            model.check(commit, of: writes)
            for problem in model.problems { violation("I1", problem) }
        } else if !commit.events.isEmpty {
            violation("I5", "a failed commit has events")
        }
        guard store.isDurable else { return }
        for problem in truth.apply(store.operations) { violation("I1", problem) }
        if choices.chance(10) { check(commit.digests) }
        if failed { tally.count("durable, but nobody was told") }
    }

    /// The reactors are told of a step.
    func witness(_ step: Commit) {
        for event in step.events {
            if event.timetoken <= visible {
                violation("I1", "\(event.timetoken) became visible after \(visible)")
            }
            visible = event.timetoken
            if event.isStored, !truth.timetokens.contains(event.timetoken) {
                violation("I5", "\(event.timetoken) became visible before it was durable")
            }
        }
        if step.last < visible { violation("I1", "a step ends before its events") }
        visible = max(visible, step.last)
    }

    /// Everything that is durable is in the store, and nothing else.
    private func checkStore() {
        let state = store?.durable ?? platter.state
        for name in setting.channels {
            let channel = Channel(name)
            let rows = truth.rows(of: name)
            let actions = state.actions[channel, default: [:]].filter(\.value.isLive)
                .mapValues(\.added)
            if actions != rows.actions { violation("I9", "the store has other actions in \(name)") }
            let messages = state.messages[channel, default: []].map(\.timetoken)
            if messages != rows.messages.keys.sorted() {
                violation("I9", "the store has other messages in \(name)")
            }
            if digest(of: channel) != state.digests[channel] ?? .empty {
                violation("I2", "the store's digest of \(name) is not that of its rows")
            }
        }
    }

    private func check(_ digests: [Channel: Digest]) {
        for (channel, digest) in digests where digest != self.digest(of: channel) {
            violation("I2", "the digest of \(channel.name) is not that of its rows")
        }
    }

    /// From the rows of the truth.
    private func digest(of channel: Channel) -> Digest {
        let secret = platter.secret.key(of: channel)
        var digest = Digest.empty
        for (key, added) in truth.rows(of: channel.name).actions {
            digest.insert(MessageAction(key: key, actionTimetoken: added), key: secret)
        }
        return digest
    }

    func violation(_ invariant: String, _ text: String) {
        trace("!!! \(invariant): \(text)")
        guard violation == nil else { return }
        let second = Double(scheduler.now / Microseconds.millisecond) / 1000
        violation = Violation(seed: seed, invariant: invariant, text: text, second: second)
    }

    func trace(_ text: @autoclosure () -> String) {
        guard let write else { return }
        let second = Double(scheduler.now / 10) / 100_000
        write("\(second) \(text())")
    }

    // MARK: What the parts ask

    /// No cursor of this store is beyond it.
    var truthEnd: Timetoken { store?.last ?? platter.state.last }

    /// The store's tombstone floor.
    var floor: Timetoken { store?.tombstoneFloor ?? platter.state.tombstoneFloor }

    /// When something arrives that is sent now.
    func arrival(
        _ latency: (low: UInt64, high: UInt64), after last: UInt64, _ device: SimulatedDevice?
    ) -> UInt64 {
        let start = max(scheduler.now, device?.partitionedUntil ?? 0)
        return max(last, start + choices.span(latency.low, latency.high))
    }

    func nextSession() -> SessionID {
        lastSession += 1
        return SessionID(slot: lastSession % 16, generation: lastSession)
    }

    func nextMutation() -> Int {
        lastMutation += 1
        return lastMutation
    }

    func isOnlyDevice(of userID: String) -> Bool {
        devices.count { $0.userID == userID } == 1
    }
}
