// The link between a daemon that follows and the one that orders: real frames, late, in order.

import Basis
import EventModel

@testable import SyncDaemon

/// Both ends of one link; what is on its way when it is cut never arrives.
final class SimulatedLink {
    private weak var follower: SimulatedDaemon?
    private weak var leader: SimulatedDaemon?
    private unowned let world: World
    /// What the one that follows has read.
    private let start: Timetoken
    private let duties: LinkDuties
    private var questions: LinkQuestions
    private var attendance = LinkAttendance()
    private var lastUp: UInt64 = 0
    private var lastDown: UInt64 = 0
    /// The network brings nothing.
    private let standstill: Standstill
    private var isEnded = false

    init(
        from follower: SimulatedDaemon, to leader: SimulatedDaemon, after start: Timetoken,
        in world: World
    ) {
        (self.follower, self.leader) = (follower, leader)
        (self.start, self.world) = (start, world)
        standstill = Standstill(on: world.scheduler)
        let number = world.nextLink()
        duties = LinkDuties(reactor: 16 + number % 200, generation: UInt32(number))
        questions = LinkQuestions(countMax: world.setting.writesMax * 4)
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

    private func put(
        _ question: LinkQuestions.Question, _ request: (Origin) -> LinkRequest
    ) -> Bool {
        guard let number = questions.number(question) else { return false }
        send(request(number))
        return true
    }

    private func send(_ request: LinkRequest) {
        let carried = Relay.carry(value: request)
        lastUp = max(lastUp, world.scheduler.now + latency)
        arrive(at: lastUp) { [weak self] in
            self?.leader?.after(0) { self?.carryOut(carried) }
        }
    }

    private func carryOut(_ request: LinkRequest) {
        guard !isEnded, let leader else { return }
        let told = Waiting<LinkNews>()
        duties.carryOut(request, at: leader, &attendance, tell: told.add)
        for news in told.take() { tell(news) }
        leader.commitSoon()
    }

    func owns(_ origin: Origin) -> Bool { duties.owns(origin) }

    // MARK: Down

    func publish(_ step: Commit) {
        let own = duties.answers(of: step)
        if !own.isEmpty { tell(.answers(own)) }
        tell(.step(step))
    }

    func tell(_ news: LinkNews) {
        guard !isEnded else { return }
        let carried = Relay.carry(value: news)
        lastDown = max(lastDown, world.scheduler.now + latency)
        arrive(at: lastDown) { [weak self] in
            self?.follower?.after(0) { self?.take(carried) }
        }
    }

    private func take(_ news: LinkNews) {
        guard !isEnded, let follower else { return }
        switch questions.hear(news) {
        case .step(let step, let mark):
            follower.take(step)
            if let mark { follower.marks.reach(mark) }
            if let durable = step.durable, durable >= start { follower.isAccepting = true }
        case .presence(let answer): follower.deliver(answer)
        case .recalled, .shares, .nothing: break
        }
    }

    // MARK: Faults

    private var latency: UInt64 {
        world.choices.chance(95)
            ? world.choices.span(50, Microseconds.millisecond)
            : world.choices.span(50, 500 * Microseconds.millisecond)
    }

    private func arrive(at moment: UInt64, _ body: @escaping () -> Void) {
        world.scheduler.at(moment) { [weak self] in
            self?.standstill.pass {
                if self?.isEnded == false { body() }
            }
        }
    }

    /// Nothing arrives for a while, in either direction; for long, and both ends give it up.
    func silence(for microseconds: UInt64) {
        standstill.last(for: microseconds)
        let patience = UInt64(Limits.linkSilenceSeconds) * Microseconds.second
        guard microseconds > patience else { return }
        world.scheduler.after(patience) { [weak self] in self?.end() }
    }

    /// Both ends find that it is over: nobody is where a session of the follower's held them, and
    /// the follower begins anew.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        _ = questions.lose()
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
