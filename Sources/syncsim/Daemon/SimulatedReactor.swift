// One real reactor without a thread: what would wake its loop plans its next turn.

import Basis
import EventModel

@testable import SyncDaemon

/// A `ReactorCore` with what waits for it.
final class SimulatedReactor {
    enum SocketEvent {
        case open(SessionID)
        case text(SessionID, [UInt8])
        case canWrite(SessionID)
        case closed(SessionID)
        case request(HTTPCall)
        /// Who asked does not wait any longer.
        case hungUp(HTTPCall)
    }

    enum Message {
        case commit(Commit)
        case read(ReadAnswer)
        case presence(PresenceAnswer)
        case drain(deadline: UInt64)
    }

    let number: Int
    let core: ReactorCore
    let transport: SimulatedTransport
    private var socketEvents: [SocketEvent] = []
    private var messages: [Message] = []
    private unowned let world: World
    private var isPlanned = false
    private var isAlive = true
    /// It does nothing before: something keeps its thread from running.
    private var stalledUntil: UInt64 = 0

    init(_ number: Int, core: ReactorCore, in world: World) {
        self.number = number
        self.core = core
        self.world = world
        transport = SimulatedTransport(in: world)
        core.hub.attach(transport)
        core.beginTurn(at: milliseconds)
        beat()
    }

    private var milliseconds: UInt64 { world.scheduler.now / Microseconds.millisecond }

    func hear(_ event: SocketEvent) {
        guard isAlive else { return }
        socketEvents.append(event)
        wake()
    }

    func post(_ message: Message) {
        messages.append(message)
        wake()
    }

    func stall(for microseconds: UInt64) {
        stalledUntil = max(stalledUntil, world.scheduler.now + microseconds)
    }

    /// Whether everything that reached it was dealt with.
    var isIdle: Bool { socketEvents.isEmpty && messages.isEmpty }

    func die() {
        isAlive = false
        socketEvents = []
        messages = []
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

    /// One turn, as `Reactor` runs it.
    private func turn() {
        core.beginTurn(at: milliseconds)
        let events = socketEvents
        socketEvents = []
        for event in events {
            switch event {
            case .open(let id): core.sessionDidOpen(id, query: [:])
            case .text(let id, let text): core.session(id, didReceive: unsafe text.span.bytes)
            case .canWrite(let id):
                transport.unblock(id)
                core.sessionCanWrite(id)
            case .closed(let id):
                transport.remove(id)
                core.sessionDidClose(id)
            case .request(let call):
                call.begin()
                core.connection(call.connection, didRequest: spoiled(call.request))
            case .hungUp(let call):
                guard !call.isAnswered else { continue }
                transport.remove(call)
                core.connectionDidClose(call.connection)
            }
        }
        let taken = messages
        messages = []
        for message in taken {
            switch message {
            case .commit(let commit): core.receive(commit)
            case .read(let answer): core.receive(answer)
            case .presence(let answer): core.receive(answer)
            case .drain(let deadline): core.drain(until: deadline)
            }
        }
        core.endReading()
        // Its pace holds it: sockets are read, and nothing is written yet.
        guard world.choices.chance(90) else { return wake() }
        core.endTurn()
        core.hub.checkInvariants()
        guard let due = core.hub.nextDue else { return }
        world.scheduler.at(due * Microseconds.millisecond) { [weak self] in self?.wake() }
    }

    /// What a poll asks for, as somebody takes it who answers some from now on.
    private func spoiled(_ request: HTTPRequest) -> HTTPRequest {
        guard world.bug == .pollFromNow, world.choices.chance(10),
            let start = request.target.firstRange(of: "tt=")
        else { return request }
        var request = request
        let end = request.target[start.upperBound...].firstIndex(of: "&") ?? start.upperBound
        request.target.replaceSubrange(start.upperBound..<end, with: "0")
        return request
    }
}
