// The lives of the daemon in a world: it starts, crashes, drains, and finds another store.

import Basis
import EventModel

@testable import SyncDaemon

extension World {
    /// A daemon finds the store, and begins to run.
    func start() {
        guard daemon == nil, violation == nil else { return }
        // The power may go while the files are made.
        let isCutOff = isEventful && choices.chance(5)
        do throws(StoreError) {
            var clock: SimulatedClock?
            let store = try platter.open(
                &choices, bug: bug,
                changesUntilPowerLoss: isCutOff ? choices.below(40) : nil
            ) { anchor in
                // Nothing in a new store would tell a wrong clock from a right one.
                if anchor == nil { setClock() }
                let resumed = SimulatedClock(
                    self.clock, resuming: anchor, boot: "\(boot)", isSynchronised: isSynchronised,
                    agesByWall: bug == .steppedRetention)
                clock = resumed
                // After a boot up to a day too much may seem to have passed then.
                if let anchor, anchor.boot != "\(boot)", !isSynchronised {
                    witnesses.retention.forget()
                }
                return resumed.anchor()
            }
            guard let clock else { return violation("I9", "a store asked for no clock") }
            self.store = store
            if isOnServer { databaseReader = try store.makeReader() }
            life += 1
            trace("--- the daemon starts")
            try begin(with: store)
            daemon = try SimulatedDaemon(on: store, clock, in: self)
            checkStore()
            while followers.count < followersWanted { try follow() }
        } catch {
            guard isCutOff, store == nil else {
                return violation("I9", "the daemon does not start: \(error)")
            }
            tally.count("power loss at the start")
            startLater()
        }
    }

    /// Daemons that follow, where there is a database server.
    private var followersWanted: Int {
        guard isOnServer else { return 0 }
        return bug?.isAboutLinks == true ? max(1, setting.followers) : setting.followers
    }

    /// A daemon finds the schema in use, and follows the one that uses it.
    private func follow() throws(StoreError) {
        guard let daemon, let store else { return }
        tally.count("a daemon follows")
        followers.append(
            try SimulatedDaemon(following: daemon, on: store, life: nextFollower(), in: self))
    }

    /// A follower has lost the one that it followed: its process begins anew, and follows whoever
    /// orders then.
    func beginAnew(_ follower: SimulatedDaemon) {
        guard followers.contains(where: { $0 === follower }) else { return }
        trace("--- a follower begins anew")
        followers.removeAll { $0 === follower }
        follower.die()
        followLater()
    }

    private func followLater() {
        scheduler.after(choices.span(Microseconds.second / 4, 3 * Microseconds.second)) {
            [weak self] in
            guard let self, violation == nil, daemon != nil, followers.count < followersWanted
            else { return }
            do throws(StoreError) {
                try follow()
            } catch {
                violation("I9", "a follower does not start: \(error)")
            }
        }
    }

    /// Something goes wrong between two daemons, or with one that follows.
    func strike(_ follower: SimulatedDaemon) {
        switch choices.below(5) {
        case 0:
            tally.count("a follower dies")
            beginAnew(follower)
        case 1:
            tally.count("a frozen follower")
            follower.freeze(for: choices.span(Microseconds.second / 10, 4 * Microseconds.second))
        case 2:
            tally.count("a link is cut")
            follower.cutLink()
        default:
            tally.count("a silent link")
            follower.silenceLink(
                for: choices.span(Microseconds.second / 10, 15 * Microseconds.second))
        }
    }

    private func startLater() {
        scheduler.after(choices.span(Microseconds.second / 10, 10 * Microseconds.second)) {
            [weak self] in
            self?.start()
        }
    }

    /// The process is gone, and comes back after a while.
    ///
    /// - Parameter isPowerLoss: Whether the machine goes, too, and with it what was not synced.
    func crash(_ reason: String, isPowerLoss: Bool = false) {
        guard let daemon, let store else { return }
        trace("--- the daemon dies: \(reason)")
        daemon.die()
        lastSeen = (store.last, store.tombstoneFloor)
        platter = platter.left(by: store, isPowerLoss: isPowerLoss, &choices)
        store.die()
        self.daemon = nil
        self.store = nil
        if isPowerLoss {
            // It was followed by up to a minute, which seems to have passed once it is right.
            if !clock.isRight { witnesses.retention.forget() }
            reboot(setsClock: choices.chance(50))
        }
        startLater()
    }

    /// The process is stopped for a while; the daemon in reserve takes over where that is long.
    func freeze() {
        guard let frozen = daemon else { return }
        let isLong = choices.chance(70)
        frozen.freeze(
            for: choices.span(
                isLong ? Self.lease : Microseconds.second / 5,
                isLong ? 4 * Self.lease : Self.lease))
        scheduler.after(Self.lease) { [weak self] in
            guard let self, daemon === frozen, frozen.isFrozen else { return }
            takeOver()
        }
    }

    /// Without a sign of life for so long a daemon counts as silent.
    private static let lease = UInt64(Limits.seatLeaseSeconds) * Microseconds.second

    /// The daemon in reserve begins a term, on a machine with a clock of its own.
    private func takeOver() {
        guard let daemon, let store else { return }
        tally.count("reserve takes over")
        trace("--- the daemon is silent, and put out")
        lastSeen = (store.last, store.tombstoneFloor)
        platter = platter.left(by: store, isPowerLoss: false, &choices)
        store.oust()
        ousted.append((daemon, store))
        self.daemon = nil
        self.store = nil
        boot += 1
        swap(&clock, &otherClock)
        clock.step(by: choices.pick([0, -1, 2]) * choices.below(3600), notBefore: earliestTicks)
        isSynchronised = clock.isRight
        witnesses.retention.forget()
        start()
    }

    /// A process ends by itself.
    func end(_ ending: SimulatedDaemon, _ reason: String, isPowerLoss: Bool) {
        if ending === daemon { return crash(reason, isPowerLoss: isPowerLoss) }
        trace("--- the daemon ends that was put out")
        endOusted { $0 === ending }
    }

    /// Those end that were put out.
    func endOusted(where isMeant: (SimulatedDaemon) -> Bool = { _ in true }) {
        for (daemon, store) in ousted where isMeant(daemon) {
            daemon.die()
            store.die()
        }
        ousted.removeAll { isMeant($0.daemon) }
    }

    /// The machine starts anew; nobody but the clock on the wall knows how long it was off.
    private func reboot(setsClock: Bool) {
        boot += 1
        if setsClock { clock.setRight() }
        isSynchronised = clock.isRight
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
    func currentPlatter() -> Platter? {
        guard let store else { return nil }
        return platter.left(by: store, isPowerLoss: false, &choices)
    }

    /// Puts another disk in the place of the present one.
    func replace(_ platter: Platter, _ truth: Truth) {
        // They are over another database from one moment to the next.
        for follower in followers { follower.die() }
        followers = []
        // Whoever puts a store back sets the clock right: a device tells what it did in the lost
        // one from what is in this one by their timetokens.
        earliestTicks = max(earliestTicks, truthEnd.rawValue + 1)
        crash("its store is taken away")
        endOusted()
        boot += 1
        setClock()
        self.platter = platter
        lastSeen = (truth.last, .zero)
        lineage += 1
        follower?.isToLose(self.truth)
        witnesses.begin(with: truth)
        moderator?.hangUp()
        editor?.hangUp()
        for device in devices {
            // What was under way says something about the other store.
            device.hangUp(silently: false)
            for channel in setting.channels { device.witness.taint(channel) }
        }
    }

    /// Sets the clock on the wall right, or as right as a store allows that was put back.
    private func setClock() {
        clock.setRight()
        clock.step(by: 0, notBefore: earliestTicks)
        isSynchronised = true
    }

    /// Everything that is durable.
    var truth: Truth { witnesses.daemon.truth }

    /// No cursor of this store is beyond it.
    var truthEnd: Timetoken { store?.last ?? lastSeen.end }

    /// The store's tombstone floor.
    var floor: Timetoken { store?.tombstoneFloor ?? lastSeen.floor }
}
