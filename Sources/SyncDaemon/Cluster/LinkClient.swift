// A daemon that follows: what its clients want goes to the one that orders, and what that says is
// taken as this daemon's own ledger would have said it.

import Basis
import EventModel

/// A way to the daemon that orders, once both sides know each other.
struct LinkConnection {
    let socket: LinkSocket
    var input: LinkInput
    let welcome: LinkWelcome

    /// Connects, and shows the key.
    init(to address: ListenAddress, key: [UInt8]) throws(LinkEnd) {
        socket = try LinkSocket.connect(to: address)
        input = LinkInput(socket)
        let challenge = try LinkReader.value(
            LinkChallenge.self, of: try input.next(atMost: Limits.linkGuestFrameBytesMax))
        guard challenge.version == LinkChallenge.version else { throw .foreign }
        let hello = LinkHello(nonce: LinkChallenge.makeNonce(), to: challenge, key: key)
        try socket.write(LinkWriter.frame(hello))
        welcome = try LinkReader.value(
            LinkWelcome.self, of: try input.next(atMost: Limits.linkGuestFrameBytesMax))
        guard welcome.isRight(for: hello, key: key) else { throw .wrongKey }
    }
}

/// Serves a ``LedgerDoor`` over a link.
final class LinkClient: DoorKeeper, PresenceDoor {
    /// Who waits for what.
    private enum Asked: Sendable {
        case order(Origin)
        case recall(told: @Sendable (Result<Reply, ProtocolError>?) -> Void)
        case presence(PresenceRequest, Origin)
        case mark(Int)
    }

    private struct State {
        var asked: [CommandID: Asked] = [:]
        var last: CommandID = 0
        var isLost = false
        var isStopping = false

        /// - Returns: `nil` when too many are asked, or there is nobody to ask.
        mutating func number(_ asked: Asked) -> CommandID? {
            guard !isLost, self.asked.count < Limits.linkAskedMax else { return nil }
            last += 1
            self.asked[last] = asked
            return last
        }

        /// - Returns: Who waits in vain.
        mutating func lose() -> [Asked] {
            isLost = true
            defer { asked = [:] }
            return Array(asked.values)
        }
    }

    private let door: LedgerDoor
    private let pipe: LinkPipe
    private let receiver: any PresenceReceiver
    private let state = Locked(State())
    private let caughtUp = WorkQueue<Bool>(capacity: 1)
    private let asking = Locked<OSThread?>(nil)

    /// Starts following.
    ///
    /// - Parameters:
    ///   - door: Made from what the store was after the link was there.
    ///   - start: The newest commit that that has.
    ///   - receiver: Gets presence's answers.
    ///   - log: Hears why the link ended.
    ///   - lost: Called once, when the link has ended. The daemon is to begin anew.
    init(
        over connection: LinkConnection, door: LedgerDoor, after start: Timetoken,
        receiver: any PresenceReceiver, log: Log, lost: @escaping @Sendable () -> Void
    ) {
        (self.door, self.receiver) = (door, receiver)
        pipe = LinkPipe(
            connection.socket, name: "link-out", alive: LinkWriter.frame(LinkRequest.alive))
        if connection.welcome.durable >= start { _ = caughtUp.put(true) }
        _ = OSThread(name: "link-in") { [self] in
            var input = connection.input
            let end = follow(&input, from: start)
            pipe.end()
            _ = caughtUp.put(false)
            for asked in state.withLock({ $0.lose() }) { refuse(asked) }
            guard !state.withLock({ $0.isStopping }) else { return }
            log.warning("The link to the daemon that orders has ended: \(end).")
            lost()
        }
        asking.withLock { thread in
            thread = OSThread(name: "link-ask") { [self] in
                while true {
                    let taken = door.requests.take(atMost: Limits.commitWritesMax)
                    guard !taken.isEmpty else { return }
                    door.beat()
                    for request in taken { ask(request) }
                }
            }
        }
    }

    /// Waits until everything has been heard that was under way when it came.
    func waitForStart() -> Bool {
        caughtUp.take(
            atMost: 1, waitingAtMost: UInt64(Limits.linkStartSeconds) * 1000
        ).first ?? false
    }

    /// Ends the link.
    func stop() {
        state.withLock { $0.isStopping = true }
        door.requests.close()
        asking.withLock { $0.take() }?.join()
        pipe.end()
    }

    // MARK: Out

    private func ask(_ request: LedgerDoor.Request) {
        switch request {
        case .write(let write):
            send(.order(write.origin)) { .write(write.from($0)) }
        case .recall(let write, let told):
            send(.recall(told: told)) { .recall(write.from($0)) }
        case .announcement(let announcement):
            guard let origin = announcement.origin else { return }
            send(.order(origin)) { .announcement(announcement.from($0)) }
        case .position(let origin): send(.order(origin)) { .position($0) }
        case .mark(let mark): send(.mark(mark)) { .mark($0) }
        case .upkeep(_, let told): told(false)
        // The daemon that orders has the store, and the webhooks.
        case .heartbeat, .ceiling, .outbox, .webhooks: break
        }
    }

    func ask(_ request: PresenceRequest) -> Bool {
        guard let origin = request.origin else {
            return pipe.send(LinkWriter.frame(LinkRequest.presence(request)))
        }
        return put(.presence(request, origin)) { number in
            .presence(
                PresenceRequest(
                    member: request.member, operation: request.operation, origin: number,
                    source: request.source))
        }
    }

    private func send(_ asked: Asked, _ request: (Origin) -> LinkRequest) {
        if !put(asked, request) { refuse(asked) }
    }

    /// Sends a question under a number.
    private func put(_ asked: Asked, _ request: (Origin) -> LinkRequest) -> Bool {
        guard let number = state.withLock({ $0.number(asked) }) else { return false }
        guard !pipe.send(LinkWriter.frame(request(Origin(number: number)))) else { return true }
        // Who is told that the link is lost is not told again.
        return state.withLock { $0.asked.removeValue(forKey: number) } == nil
    }

    private func refuse(_ asked: Asked) {
        switch asked {
        case .order(let origin): door.order.answer(origin, .failure(.storeUnavailable))
        case .recall(let told): told(.failure(.storeUnavailable))
        case .mark: break
        case .presence(let request, let origin):
            receiver.deliver(
                PresenceAnswer(
                    origin: origin, request: request, reply: .refused(.tooManyAnnouncements)))
        }
    }

    // MARK: In

    private func follow(_ input: inout LinkInput, from start: Timetoken) -> LinkEnd {
        var answers: [Answer] = []
        var mark: Int?
        do throws(LinkEnd) {
            while true {
                switch try LinkReader.value(LinkNews.self, of: try input.next()) {
                case .answers(let numbered): (answers, mark) = own(numbered)
                case .step(var step):
                    step.answers = answers
                    door.note(step)
                    door.order.finish(step)
                    if let mark { door.marks.reach(mark) }
                    (answers, mark) = ([], nil)
                    if let durable = step.durable, durable >= start { _ = caughtUp.put(true) }
                case .recalled(let number, let answer):
                    if case .recall(let told)? = take(number.command) { told(answer?.result) }
                case .presence(let number, let reply):
                    guard case .presence(let request, let origin)? = take(number.command) else {
                        continue
                    }
                    receiver.deliver(
                        PresenceAnswer(origin: origin, request: request, reply: reply))
                case .alive: break
                }
            }
        } catch {
            return error
        }
    }

    /// Each as this daemon's own, and the newest of the marks among them.
    private func own(_ numbered: [Answer]) -> (answers: [Answer], mark: Int?) {
        var (answers, newest) = ([Answer](), Int?.none)
        for answer in numbered {
            switch take(answer.origin.command) {
            case .order(let origin)?:
                answers.append(Answer(origin: origin, result: answer.result))
            case .mark(let mark)?: newest = mark
            case .recall?, .presence?, nil: break
            }
        }
        return (answers, newest)
    }

    private func take(_ number: CommandID) -> Asked? {
        state.withLock { $0.asked.removeValue(forKey: number) }
    }
}

extension Write {
    /// The same of another asker.
    func from(_ origin: Origin) -> Write {
        Write(
            origin: origin, author: author, channel: channel, operation: operation,
            mutation: mutation, hoursAsked: hoursAsked, isOfServer: isOfServer,
            fingerprint: fingerprint)
    }
}

extension Announcement {
    /// The same of another asker.
    func from(_ origin: Origin) -> Announcement {
        Announcement(
            channel: channel, uuid: uuid, event: event, origin: origin, isOfServer: isOfServer)
    }
}
