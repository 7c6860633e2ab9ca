// One real reactor without a thread: what would wake its loop plans its next turn.

import Basis
import EventModel

@testable import SyncDaemon

/// A `ReactorCore` with what waits for it.
final class SimulatedReactor {
    let core: ReactorCore
    let transport: SimulatedTransport
    private let mailbox = Mailbox<ReactorMessage>(capacity: Limits.reactorMailboxMax)
    private unowned let world: World
    private var isPlanned = false
    private var isAlive = true
    /// It does nothing before: something keeps its thread from running.
    private var stalledUntil: UInt64 = 0

    /// Whether its daemon follows another one.
    let isFollowing: Bool

    init(_ engine: SimulatedEngine, counters: Counters, in world: World) {
        self.world = world
        isFollowing = engine.daemon.isFollowing
        let setting = world.setting
        var keyset = Keyset(subscribeKey: Channel.defaultKeyset)
        keyset.defaults.reactions = setting.rules
        core = ReactorCore(
            engine: engine,
            settings: ReactorSettings(
                keysets: Keysets(lone: keyset),
                sendQueueBytesMax: setting.sendQueueBytes, batchWindow: setting.windowMilliseconds),
            recentBytesMax: setting.recentBytes,
            segmentedRepairs: SegmentedRepairs(
                segmentMessages: setting.segments.messages, rowsMin: setting.segmentedRowsMin),
            mailbox: mailbox, counters: counters)
        transport = SimulatedTransport(core.native, core.http, in: world)
        core.attach(transport, at: milliseconds)
        beat()
    }

    private var milliseconds: UInt64 { world.scheduler.now / Microseconds.millisecond }

    func hear(_ event: SimulatedTransport.SocketEvent) {
        guard isAlive else { return }
        transport.hear(event)
        wake()
    }

    func post(_ message: ReactorMessage) {
        let isTaken = mailbox.post(message)
        precondition(isTaken, "A simulated reactor has room for all.")
        wake()
    }

    func stall(for microseconds: UInt64) {
        stalledUntil = max(stalledUntil, world.scheduler.now + microseconds)
    }

    /// Whether everything that reached it was dealt with.
    var isIdle: Bool { transport.isIdle && mailbox.count == 0 }

    func die() {
        isAlive = false
        transport.die()
    }

    /// The loop comes round once a second though nothing happens.
    private func beat() {
        world.scheduler.after(Microseconds.second) { [weak self] in
            guard let self, isAlive else { return }
            wake()
            beat()
        }
    }

    private func wake() {
        guard !isPlanned, isAlive else { return }
        isPlanned = true
        let delay = world.choices.span(10, 3 * Microseconds.millisecond)
        world.scheduler.at(max(world.scheduler.now + delay, stalledUntil)) { [weak self] in
            guard let self, isAlive else { return }
            isPlanned = false
            turn()
        }
    }

    private func turn() {
        // Its pace holds it: sockets are read, and nothing is written yet.
        guard core.turn(at: milliseconds, isHeld: !world.choices.chance(90)) != nil else {
            return wake()
        }
        core.hub.checkInvariants()
        guard let due = core.nextDue else { return }
        world.scheduler.at(max(due * Microseconds.millisecond, world.scheduler.now)) {
            [weak self] in self?.wake()
        }
    }
}
