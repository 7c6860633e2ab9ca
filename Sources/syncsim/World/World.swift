// One seed's world: a daemon, its devices, everything between them, and those who watch.

import Basis
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
    /// Whether the store is a database server's, and a daemon on another machine in reserve.
    let isOnServer: Bool
    /// Whether the store is SQLite's, on a disk of ours.
    let isFile: Bool
    let scheduler = Scheduler()
    /// The clock on the wall of the machine that the daemon runs on.
    var clock = WallClock()
    /// The same of the machine with the reserve.
    var otherClock = WallClock()
    var choices: SeededGenerator
    var faults = Faults()
    var tally = Tally()
    var witnesses = Witnesses()
    private(set) var devices: [SimulatedDevice] = []
    private(set) var pollers: [Poller] = []
    private(set) var follower: SummaryFollower?
    private var watcher: LiveWatcher?
    private var selector: SelectionFollower?
    private(set) var moderator: Moderator?
    private(set) var editor: Editor?
    var daemon: SimulatedDaemon?
    /// Those that follow it, or follow one whose term is over and do not know that yet.
    var followers: [SimulatedDaemon] = []
    /// Starts of these.
    private var lastFollower = 0
    private var lastLink = 0
    /// Those whose term is over, and who are not gone yet.
    var ousted: [(daemon: SimulatedDaemon, store: SimulatedStore)] = []
    private(set) var violation: Violation?
    var platter: Platter
    var store: SimulatedStore?
    /// Reads what is committed, whoever asks; only of a database server.
    var databaseReader: (any StoreReader)?
    /// What is known of the store while nobody has it open.
    var lastSeen = (end: Timetoken.zero, floor: Timetoken.zero)
    /// How often the machine was started.
    var boot = 1
    /// Whether somebody keeps its clock right since then.
    var isSynchronised = true
    /// How often a daemon has started.
    var life = 0
    /// How often another store was put in the place of the present one.
    var lineage = 1
    private var lastSession: UInt32 = 0
    private var lastMutation = 0
    /// When a transaction became durable last.
    var lastDurable: UInt64 = 0
    /// The wall clock does not step back beyond it.
    var earliestTicks: UInt64 = 0
    private let write: ((String) -> Void)?

    /// - Parameter write: Takes the lines of a trace.
    init(seed: UInt64, bug: PlantedBug? = nil, write: ((String) -> Void)? = nil) {
        self.seed = seed
        self.bug = bug
        self.write = write
        choices = SeededGenerator(seed: seed)
        setting = Setting(&choices)
        isOnServer = bug.map(\.isAboutServers) ?? (setting.hasReserve && !setting.isFile)
        isFile = setting.isFile && !isOnServer
        platter = Platter(isFile: isFile, &choices)
    }

    /// Who is there from the start.
    ///
    /// Not part of the initialiser, in which Swift 6.3's optimiser loses count of `self`.
    @inline(never)
    private func populate() {
        trace("\(setting)")
        start()
        for number in 0..<setting.devices {
            devices.append(
                SimulatedDevice(
                    userID: "u\(number % setting.users)", deviceID: "d\(number)",
                    channels: setting.channels, in: self))
        }
        for number in 0..<setting.pollers { pollers.append(Poller(number, in: self)) }
        if setting.hasSummaryFollower { follower = SummaryFollower(in: self) }
        // In every second world, so that the others stay what they were.
        if !seed.isMultiple(of: 2), bug == nil || bug == .lateLivePage {
            watcher = LiveWatcher(in: self)
        }
        if setting.hasSelectionFollower { selector = SelectionFollower(in: self) }
        if setting.hasModerator { moderator = Moderator(in: self) }
        if hasEditors { editor = Editor(in: self) }
        strikeLater()
        bystandLater()
    }

    // MARK: What happens

    /// Lives through the faults and the calm after them.
    ///
    /// - Returns: How often everything happened.
    func run() throws(Violation) -> Tally {
        populate()
        defer {
            for follower in followers { follower.die() }
            daemon?.die()
            store?.die()
            endOusted()
            scheduler.clear()
        }
        try proceed(until: setting.duration)
        settle()
        var (rest, secondsLeft) = (0, Self.secondsToRest)
        var (errands, heard) = (errandsLeft, follower?.heard ?? 0)
        // Long enough for heartbeats to fail and for snapshots to come in; and a reactor that was
        // stalled last tells nobody anything for some seconds.
        // Messages go on expiring, and devices hear of it a moment later.
        while secondsLeft > 0,
            rest < 8 || scheduler.now - lastDurable < 3 * Microseconds.second
        {
            secondsLeft -= 1
            try proceed(until: scheduler.now + Microseconds.second)
            let isAtRest =
                devices.allSatisfy(\.isAtRest) && pollers.allSatisfy(\.isAtRest)
                && follower?.isAtRest ?? true && selector?.isAtRest ?? true
                && watcher?.isAtRest ?? true && moderator?.isAtRest ?? true
                && editor?.isAtRest ?? true
            rest = isAtRest ? rest + 1 : 0
            // Who asks for all at once on a line that takes little gets on slowly, and does.
            if errandsLeft < errands || follower?.heard ?? 0 > heard {
                (errands, heard) = (errandsLeft, follower?.heard ?? 0)
                secondsLeft = Self.secondsToRest
            }
        }
        if rest < 8 {
            violation(
                "I6",
                "it never came to rest: \(devices.filter { !$0.isAtRest }.map(\.state)) "
                    + "\(pollers.filter { !$0.isAtRest }.map(\.state)) "
                    + "\(follower?.state ?? "") \(selector?.state ?? "") \(watcher?.state ?? "") "
                    + "\(moderator?.state ?? "") \(editor?.state ?? "")")
        } else {
            compare()
        }
        if let violation { throw violation }
        tally.count("simulated seconds", Int(scheduler.now / Microseconds.second))
        tally.count("steps", scheduler.count)
        return tally
    }

    /// Whether the faults are over; may be asked amid one.
    private(set) var isCalm = false

    /// Whether faults and wishes still come.
    var isEventful: Bool { !faults.isOver }

    private func proceed(until end: UInt64) throws(Violation) {
        while violation == nil, scheduler.step(until: end) {
            clock.advance(to: scheduler.now)
            otherClock.advance(to: scheduler.now)
        }
        if let violation { throw violation }
    }

    /// How long a world may take to come to rest while nobody's errands get on.
    private static let secondsToRest = 240

    /// What moderator and editor wait for.
    private var errandsLeft: Int { (moderator?.left ?? 0) + (editor?.left ?? 0) }

    /// Nothing goes wrong any more.
    private func settle() {
        trace("=== the faults are over")
        isCalm = true
        faults.end()
        endOusted()
        for device in devices {
            device.heal()
            device.hangUp(silently: false)
        }
        for poller in pollers { poller.heal() }
        follower?.heal()
        watcher?.heal()
        selector?.heal()
        moderator?.heal()
        editor?.heal()
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
        comparePresence()
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

    // MARK: Reports

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

    /// A throw of the dice that only worlds with windows make.
    func choices(forWindows percent: Int) -> Bool {
        hasWindows && choices.chance(percent)
    }

    /// Whether devices hold parts of their channels; bugs elsewhere are found without, too.
    var hasWindows: Bool {
        bug.map(\.isAboutWindows) ?? setting.hasWindows
    }

    /// Whether people change what they wrote; the same.
    var hasEditors: Bool {
        setting.hasEditors && (bug == nil || bug == .earlierTextStays)
    }

    /// When something arrives that is sent now.
    func arrival(
        _ latency: (low: UInt64, high: UInt64), after last: UInt64,
        _ device: (any ConnectionOwner)?
    ) -> UInt64 {
        let start = max(scheduler.now, device?.partitionedUntil ?? 0)
        return max(last, start + choices.span(latency.low, latency.high))
    }

    func nextSession() -> SessionID {
        lastSession += 1
        return SessionID(slot: lastSession % 16, generation: lastSession)
    }

    func nextLink() -> Int {
        lastLink += 1
        return lastLink
    }

    /// A number that no other start of a daemon has.
    func nextFollower() -> Int {
        lastFollower -= 1
        return lastFollower
    }

    /// Some daemon that takes connections.
    var anyDaemon: SimulatedDaemon? {
        let all = ([daemon].compactMap(\.self) + followers).filter {
            $0.isAccepting && !$0.reactors.isEmpty
        }
        // Worlds with one are what they were before there were several.
        return all.count > 1 ? choices.pick(all) : all.first
    }

    func nextMutation() -> Int {
        lastMutation += 1
        return lastMutation
    }

    func isOnlyDevice(of userID: String) -> Bool {
        devices.count { $0.userID == userID } == 1
    }
}
