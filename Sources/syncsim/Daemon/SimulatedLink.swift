// The link between a daemon that follows and the one that orders: real frames, late, in order.

import Basis
import EventModel

@testable import SyncDaemon

/// Both ends of one link; what is on its way when it is cut never arrives.
final class SimulatedLink {
    /// Who waits for what, at the end of the one that follows.
    private enum Asked {
        case order(Origin)
        case presence(PresenceRequest, Origin)
        case mark(Int)
    }

    private weak var follower: SimulatedDaemon?
    private weak var leader: SimulatedDaemon?
    private unowned let world: World
    /// What the one that follows has read.
    private let start: Timetoken
    /// Stands for its reactors at the other end.
    private let reactor: Int
    private var asked: [CommandID: Asked] = [:]
    private var last: CommandID = 0
    private var answers: [Answer] = []
    private var mark: Int?
    private var attendance = LinkAttendance()
    private var lastUp: UInt64 = 0
    private var lastDown: UInt64 = 0
    /// Nothing arrives before.
    private var silentUntil: UInt64 = 0
    private var isEnded = false

    init(
        from follower: SimulatedDaemon, to leader: SimulatedDaemon, after start: Timetoken,
        in world: World
    ) {
        (self.follower, self.leader) = (follower, leader)
        (self.start, self.world) = (start, world)
        reactor = 16 + world.nextLink() % 200
    }

    // MARK: Up

    func ask(_ write: Write) -> Bool {
        put(.order(write.origin)) { .write(write.from($0)) }
    }

    func ask(_ wanted: [EventOrder.Wanted]) -> Bool {
        wanted.allSatisfy { wanted in
            switch wanted {
            case .event(let announcement):
                announcement.origin.map { asker in
                    put(.order(asker)) { .announcement(announcement.from($0)) }
                } ?? false
            case .position(let origin): put(.order(origin)) { .position($0) }
            }
        }
    }

    func ask(mark: Int) -> Bool { put(.mark(mark)) { .mark($0) } }

    func ask(_ request: PresenceRequest) -> Bool {
        guard let origin = request.origin else {
            send(.presence(request))
            return !isEnded
        }
        return put(.presence(request, origin)) { number in
            .presence(
                PresenceRequest(
                    member: request.member, operation: request.operation, origin: number,
                    source: request.source))
        }
    }

    private func put(_ question: Asked, _ request: (Origin) -> LinkRequest) -> Bool {
        guard !isEnded, asked.count < world.setting.writesMax * 4 else { return false }
        last += 1
        asked[last] = question
        send(request(Origin(number: last)))
        return true
    }

    private func send(_ request: LinkRequest) {
        let carried = Relay.carry(value: request)
        lastUp = max(lastUp, world.scheduler.now + latency)
        arrive(at: lastUp) { [weak self] in self?.leader?.at($0) { self?.carryOut(carried) } }
    }

    /// As ``ServedLink`` does.
    private func carryOut(_ request: LinkRequest) {
        guard !isEnded, let leader else { return }
        switch request {
        case .write(let write):
            let write = write.from(here(write.origin))
            if leader.submit(write) { return leader.commitSoon() }
            refuse(write.origin, leader)
        case .announcement(let announcement):
            guard let asker = announcement.origin else { return }
            let origin = here(asker)
            conclude(leader.announce(announcement.from(origin)), origin, leader) { .published($0) }
        case .position(let asker):
            let origin = here(asker)
            conclude(leader.freshCursor(origin), origin, leader) { .pong($0) }
        case .presence(let request):
            let carried = PresenceRequest(
                member: request.member, operation: request.operation,
                origin: request.origin.map(here),
                source: PresenceSource(
                    reactor: reactor * 8 + request.source.reactor,
                    connection: request.source.connection))
            if leader.askPresence(carried) {
                attendance.hear(carried)
            } else if let origin = carried.origin {
                tell(.presence(origin, .refused(.tooManyAnnouncements)))
            }
        case .mark(let asker):
            leader.order.answer(here(asker), .success(.pong(leader.order.visible)))
            leader.spread()
        case .recall, .alive: break
        }
    }

    private func conclude(
        _ announced: Announced, _ origin: Origin, _ leader: SimulatedDaemon,
        _ reply: (Timetoken) -> Reply
    ) {
        switch announced {
        case .at(let timetoken):
            leader.order.answer(origin, .success(reply(timetoken)))
            leader.spread()
        case .waits: break
        case .refused: refuse(origin, leader)
        }
    }

    private func refuse(_ origin: Origin, _ leader: SimulatedDaemon) {
        leader.order.answer(origin, .failure(.overloaded))
        leader.spread()
    }

    /// An asker's as it is at the other end.
    private func here(_ origin: Origin) -> Origin {
        Origin(reactor: reactor, session: origin.session, command: origin.command)
    }

    func owns(_ origin: Origin) -> Bool { origin.reactor == reactor }

    // MARK: Down

    func publish(_ step: Commit) {
        let own = step.answers.filter { owns($0.origin) }
        if !own.isEmpty { tell(.answers(own)) }
        tell(.step(step))
    }

    func tell(_ news: LinkNews) {
        guard !isEnded else { return }
        let carried = Relay.carry(value: news)
        lastDown = max(lastDown, world.scheduler.now + latency)
        arrive(at: lastDown) { [weak self] in self?.follower?.at($0) { self?.take(carried) } }
    }

    /// As ``LinkClient`` does.
    private func take(_ news: LinkNews) {
        guard !isEnded, let follower else { return }
        switch news {
        case .answers(let numbered):
            for answer in numbered {
                switch asked.removeValue(forKey: answer.origin.command) {
                case .order(let origin)?:
                    answers.append(Answer(origin: origin, result: answer.result))
                case .mark(let number)?: mark = number
                case .presence?, nil: break
                }
            }
        case .step(var step):
            (step.answers, answers) = (answers, [])
            follower.take(step)
            if let mark { follower.marks.reach(mark) }
            mark = nil
            if let durable = step.durable, durable >= start { follower.isAccepting = true }
        case .presence(let number, let reply):
            let question = asked.removeValue(forKey: number.command)
            guard case .presence(let request, let origin)? = question else { return }
            follower.deliver(PresenceAnswer(origin: origin, request: request, reply: reply))
        case .recalled, .alive: break
        }
    }

    // MARK: Faults

    private var latency: UInt64 {
        world.choices.chance(95)
            ? world.choices.span(50, Microseconds.millisecond)
            : world.choices.span(50, 500 * Microseconds.millisecond)
    }

    private func arrive(at moment: UInt64, _ body: @escaping (UInt64) -> Void) {
        world.scheduler.at(moment) { [weak self] in
            guard let self, !isEnded else { return }
            guard moment >= silentUntil else {
                // It is kept by the network, and comes in its order.
                return arrive(at: silentUntil, body)
            }
            body(moment)
        }
    }

    /// Nothing arrives for a while, in either direction; for long, and both ends give it up.
    func silence(for microseconds: UInt64) {
        silentUntil = max(silentUntil, world.scheduler.now + microseconds)
        let patience = UInt64(Limits.linkSilenceSeconds) * Microseconds.second
        guard microseconds > patience else { return }
        world.scheduler.after(patience) { [weak self] in self?.end() }
    }

    /// Both ends find that it is over: nobody is where a session of the follower's held them, and
    /// the follower begins anew.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        for exit in attendance.exits { askAgain(exit) }
        leader?.forget(self)
        guard let follower else { return }
        world.scheduler.after(world.choices.span(0, Microseconds.second)) {
            [weak follower, weak world] in
            if let follower { world?.beginAnew(follower) }
        }
    }

    private func askAgain(_ exit: PresenceRequest) {
        guard let leader, !leader.askPresence(exit) else { return }
        leader.after(10 * Microseconds.millisecond) { [weak self] in self?.askAgain(exit) }
    }
}
