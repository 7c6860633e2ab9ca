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
    private var daemonWitness = DaemonWitness()
    private(set) var devices: [SimulatedDevice] = []
    private(set) var daemon: SimulatedDaemon?
    private(set) var violation: Violation?
    private var platter: Platter
    private var store: SimulatedStore?
    private var isStarting = false
    private var lastSession: UInt32 = 0
    private var lastMutation = 0
    /// When a transaction became durable last.
    private var lastDurable: UInt64 = 0
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
        // Messages go on expiring, and devices hear of it a moment later.
        for _ in 0..<240 where rest < 8 || scheduler.now - lastDurable < 3 * Microseconds.second {
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
        daemonWitness.begin(after: store.last)
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
        daemonWitness.truth = truth
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
        report(daemonWitness.see(commit, of: writes, store, failed: failed))
        guard store.isDurable else { return }
        lastDurable = scheduler.now
        if choices.chance(10) {
            report(daemonWitness.check(commit.digests, secret: platter.secret))
        }
        if failed { tally.count("durable, but nobody was told") }
    }

    /// The reactors are told of a step.
    func witness(_ step: Commit) { report(daemonWitness.see(step)) }

    /// Everything that is durable is in the store, and nothing else.
    private func checkStore() {
        let state = store?.durable ?? platter.state
        report(daemonWitness.check(state, setting.channels, secret: platter.secret))
    }

    private func report(_ findings: [DaemonWitness.Finding]) {
        for finding in findings { violation(finding.invariant, finding.text) }
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

    /// Everything that is durable.
    var truth: Truth { daemonWitness.truth }

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
