// The presence thread: takes what waits, announces what is due.

import Basis
import EventModel

@testable import SyncDaemon

/// A real `Presence` and the queue before it.
final class SimulatedPresence {
    private let presence = Presence(keysets: Keysets())
    private unowned let daemon: SimulatedDaemon
    private unowned let world: World
    private var requests: [PresenceRequest] = []
    private var outgoing: [Announcement] = []
    private var plan: UInt64?
    private var isAlive = true

    init(of daemon: SimulatedDaemon, in world: World) {
        self.daemon = daemon
        self.world = world
        wake(after: Microseconds.second)
    }

    func ask(_ request: PresenceRequest) -> Bool {
        guard requests.count < world.setting.questionsMax * 4 else { return false }
        requests.append(request)
        wake(after: world.choices.span(10, 10 * Microseconds.millisecond))
        return true
    }

    func die() {
        isAlive = false
        requests = []
    }

    private func wake(after microseconds: UInt64) {
        let moment = world.scheduler.now + microseconds
        guard plan.map({ moment < $0 }) ?? true else { return }
        plan = moment
        daemon.at(moment) { [weak self] in
            guard let self, isAlive, plan == moment else { return }
            plan = nil
            turn()
        }
    }

    /// One round of `PresenceThread`.
    private func turn() {
        let milliseconds = world.scheduler.now / Microseconds.millisecond
        let now = Presence.Instant(
            milliseconds: milliseconds, wallSeconds: world.clock.ticks / 10_000_000)
        let taken = requests
        requests = []
        for request in taken {
            world.witness(request, of: daemon)
            let reply = presence.reply(to: request, at: now)
            guard let origin = request.origin else { continue }
            daemon.deliver(PresenceAnswer(origin: origin, request: request, reply: reply))
        }
        for event in presence.advance(to: now) {
            world.tally.count("presence \(event.notice.action.rawValue)")
            outgoing.append(
                Announcement(
                    channel: event.channel, uuid: "", event: .presence(event.notice), origin: nil))
        }
        let isLost = world.bug == .presenceLostInCommit && daemon.isCommitting
        let rest = outgoing.drop { isLost || daemon.announce($0) != .refused }
        outgoing = Array(rest)
        let due = presence.nextDeadline.map { $0 > milliseconds ? $0 - milliseconds : 0 } ?? 1000
        wake(after: max(1, min(due, 1000)) * Microseconds.millisecond)
    }
}
