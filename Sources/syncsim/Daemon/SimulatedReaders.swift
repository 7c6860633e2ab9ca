// The reader threads: each step of a question is done at one moment, and the answer arrives at a
// later one.

import Basis
import EventModel

@testable import SyncDaemon

/// Readers of the store, as many as the daemon has.
final class SimulatedReaders {
    private let reader: any StoreReader
    private let order: EventOrder
    private let caches: ReaderCaches
    private unowned let daemon: SimulatedDaemon
    private unowned let world: World
    private var lanes: ReaderLanes<Reading>
    private var busyCount = 0
    private var isAlive = true

    init(
        _ reader: any StoreReader, of daemon: SimulatedDaemon, caches: ReaderCaches,
        in world: World
    ) {
        self.reader = reader
        self.daemon = daemon
        order = daemon.order
        self.caches = caches
        self.world = world
        let most = world.setting.questionsMax
        lanes = ReaderLanes(
            threads: world.setting.readers,
            bounds: ReaderLanes.Bounds(all: most, perTenant: most, perSession: most))
    }

    func ask(_ question: ReadRequest) -> Bool {
        guard lanes.put(Reading(question), question.ticket) else { return false }
        next()
        return true
    }

    func die() {
        isAlive = false
    }

    private func next() {
        guard busyCount < world.setting.readers, let (reading, ticket) = lanes.take() else {
            return
        }
        busyCount += 1
        let span = world.choices.span(50, 50 * Microseconds.millisecond)
        daemon.after(span) { [weak self] in
            // Without power nobody answers.
            guard let self, isAlive, world.store?.isDead != true else { return }
            step(reading, ticket, took: Int(span))
        }
    }

    /// One step, now and then a short one: what others commit falls between two.
    private func step(_ reading: Reading, _ ticket: ReaderTicket, took microseconds: Int) {
        var reading = reading
        var looksLeft = world.choices.chance(50) ? world.choices.below(3) : 1000
        let outcome = reading.step(from: reader, order, caches) {
            looksLeft -= 1
            return looksLeft >= 0
        }
        _ = lanes.step(ticket, took: microseconds)
        if case .goesOn = outcome {
            world.tally.count("read in steps")
            lanes.putBack(reading, reading.ticket)
        }
        for request in caches.repairs.takeReleased() {
            lanes.putBack(Reading(request), request.ticket)
        }
        if case .unwanted = outcome {
            world.tally.count("read for nobody")
            lanes.close(ticket)
        }
        guard case .done(let answer) = outcome else { return free() }
        lanes.close(ticket)
        let seen = world.store?.last ?? .zero
        daemon.after(world.choices.span(10, 20 * Microseconds.millisecond)) {
            [weak self] in
            guard let self, isAlive else { return }
            var answer = answer
            if world.bug == .lateLivePage, case .live(let found) = answer.result,
                case .success(let page) = found.page
            {
                let late = DatedPage(page: page.page, asOf: page.asOf.advanced(by: 50_000_000))
                answer.result = .live(LiveAnswer(id: found.id, page: .success(late)))
            }
            deliver(answer, of: seen)
            free()
        }
    }

    /// Tells a reactor what was found, once a daemon that follows has heard of what is in it.
    private func deliver(_ answer: ReadAnswer, of seen: Timetoken) {
        guard !daemon.isFollowing || daemon.order.settled.durable >= seen else {
            return daemon.after(Microseconds.millisecond) { [weak self] in
                guard let self, isAlive else { return }
                deliver(answer, of: seen)
            }
        }
        daemon.reactors[answer.asker.reactor].post(.read(answer))
    }

    /// A thread looks for its next question; another may have been waiting for this one's end.
    private func free() {
        busyCount -= 1
        next()
        next()
    }
}
