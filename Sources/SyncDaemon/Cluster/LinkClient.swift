// A daemon that follows: what its clients want goes to the one that orders, and what that says is
// taken as this daemon's own ledger would have said it.

import Basis
import EventModel
import Glibc
import Synchronization

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
        let answer: ArraySlice<UInt8>
        do throws(LinkEnd) {
            answer = try input.next(atMost: Limits.linkGuestFrameBytesMax)
        } catch {
            throw error == .closed ? .notAdmitted : error
        }
        welcome = try LinkReader.value(LinkWelcome.self, of: answer)
        guard welcome.isRight(for: hello, key: key) else { throw .wrongKey }
    }
}

/// Serves a ``LedgerDoor`` over a link.
final class LinkClient: DoorKeeper, PresenceDoor {
    private struct State {
        var questions = LinkQuestions()
        var isStopping = false
        var lag = LinkLag()
        /// Why this side ended the link.
        var end: LinkEnd?
    }

    private let door: LedgerDoor
    /// What this daemon's own clients have said of presence, for whoever comes to order next.
    private let presence: PresenceThread
    private let accounts: Accounts
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
    ///   - presence: Hears what this daemon's clients say; announces nothing.
    ///   - promises: Where they were under the one that ordered before.
    ///   - accounts: What tenants have of this daemon, and of the others.
    ///   - receiver: Gets presence's answers.
    ///   - log: Hears why the link ended.
    ///   - lost: Called once, when the link has ended. The daemon is to begin anew.
    init(
        over connection: LinkConnection, door: LedgerDoor, after start: Timetoken,
        presence: PresenceThread, _ promises: [PresencePromise], accounts: Accounts,
        receiver: any PresenceReceiver, log: Log, lost: @escaping @Sendable () -> Void
    ) {
        (self.door, self.presence, self.receiver) = (door, presence, receiver)
        self.accounts = accounts
        pipe = LinkPipe(
            connection.socket, name: "link-out", alive: LinkWriter.frame(LinkRequest.alive))
        presence.keep(promises)
        for start in stride(from: 0, to: promises.count, by: Limits.linkPromisesMax) {
            let part = promises[start...].prefix(Limits.linkPromisesMax)
            pipe.send(LinkWriter.frame(LinkRequest.promises(Array(part))))
        }
        if connection.welcome.durable >= start { _ = caughtUp.put(true) }
        _ = OSThread(name: "link-in") { [self] in
            var input = connection.input
            let end = follow(&input, from: start)
            pipe.end()
            _ = caughtUp.put(false)
            let rest = state.withLock { $0.questions.lose() }
            for question in rest { refuse(question, .storeUnavailable) }
            let (isStopping, why) = state.withLock { ($0.isStopping, $0.end ?? end) }
            guard !isStopping else { return }
            log.warning("The link to the daemon that orders has ended: \(why).")
            lost()
        }
        _ = OSThread(name: "link-use") { [self] in
            var told: [ExactText: TenantUse] = [:]
            repeat {
                let uses = accounts.uses(besides: &told)
                if !uses.isEmpty { pipe.send(LinkWriter.frame(LinkRequest.use(uses))) }
                measureLag()
                usleep(UInt32(Limits.clusterUseMilliseconds) * 1000)
            } while !state.withLock { $0.isStopping || $0.questions.isLost }
        }
        asking.withLock { thread in
            thread = OSThread(name: "link-ask") { [self] in
                while true {
                    let taken = door.requests.take(atMost: Limits.commitWritesMax)
                    guard !taken.isEmpty else { return }
                    door.heartbeat.beat()
                    door.observeClock(log)
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
        if request.operation.saysWhere { _ = presence.ask(request.from(nil)) }
        // It has been told to whom it can be told: sessions are not to try again for ever.
        guard !state.withLock({ $0.questions.isLost }) else { return true }
        guard let origin = request.origin else {
            return pipe.send(LinkWriter.frame(LinkRequest.presence(request)))
        }
        return put(.presence(request, origin)) { .presence(request.from($0)) }
    }

    private func send(_ question: LinkQuestions.Question, _ request: (Origin) -> LinkRequest) {
        if !put(question, request) { refuse(question, .overloaded) }
    }

    /// Sends a question under a number.
    private func put(
        _ question: LinkQuestions.Question, _ request: (Origin) -> LinkRequest
    ) -> Bool {
        let origin = state.withLock { state in
            defer { door.awaited.store(state.questions.waiting, ordering: .relaxed) }
            return state.questions.number(question)
        }
        guard let number = origin else { return false }
        if pipe.send(LinkWriter.frame(request(number))) { return true }
        // Who was told that the link is lost is not told again.
        return !state.withLock { $0.questions.takeBack(number) }
    }

    private func refuse(_ question: LinkQuestions.Question, _ error: ProtocolError) {
        switch question {
        case .order(let origin): door.order.answer(origin, .failure(error))
        case .recall(let told): told(.failure(error))
        case .mark: break
        case .presence(let request, let origin):
            receiver.deliver(
                PresenceAnswer(
                    origin: origin, request: request, reply: .refused(.tooManyAnnouncements)))
        }
    }

    /// Sends a mark when none is on its way, and ends a link on which one is for too long.
    private func measureLag() {
        let now = Clock.monotonicMilliseconds()
        let step = state.withLock { state in
            let step = state.lag.step(at: now)
            if step == .late { state.end = .late }
            return step
        }
        switch step {
        case .ask:
            _ = door.marks.ask { mark in
                state.withLock { $0.lag.send(mark, at: now) }
                if door.requests.put(.mark(mark)) { return true }
                state.withLock { $0.lag.takeBack() }
                return false
            }
        case .waits(let milliseconds): door.lag.store(Int(milliseconds), ordering: .relaxed)
        case .late: pipe.end()
        }
    }

    private func hearMark(_ mark: Int) {
        door.marks.reach(mark)
        let now = Clock.monotonicMilliseconds()
        guard let late = state.withLock({ $0.lag.hear(mark, at: now) }) else { return }
        door.lag.store(Int(late), ordering: .relaxed)
    }

    // MARK: In

    private func note(_ step: Commit) {
        // What is durable, and nothing else, says that the ledger there goes on.
        if step.durable != nil { door.turns.beat() }
        door.note(step)
        for envelope in step.events {
            guard case .presence(let notice) = envelope.event, let userID = notice.userID,
                notice.action == .leave || notice.action == .timeout
            else { continue }
            let name = envelope.channel.name.utf8.dropLast(Channel.presenceSuffix.utf8.count)
            // Somebody who came here before, and then to another daemon, and left that.
            presence.forget(
                Presence.Member(userID: userID, keyset: envelope.channel.keyset),
                channel: String(decoding: Array(name), as: UTF8.self))
        }
    }

    private func follow(_ input: inout LinkInput, from start: Timetoken) -> LinkEnd {
        do throws(LinkEnd) {
            while true {
                let news: LinkNews = try LinkReader.value(of: try input.next())
                let finding = state.withLock { state in
                    defer { door.awaited.store(state.questions.waiting, ordering: .relaxed) }
                    return state.questions.hear(news)
                }
                switch finding {
                case .step(let step, let mark):
                    note(step)
                    door.order.finish(step)
                    if let mark { hearMark(mark) }
                    if let durable = step.durable, durable >= start { _ = caughtUp.put(true) }
                case .recalled(let result, let told): told(result)
                case .presence(let answer): receiver.deliver(answer)
                case .shares(let shares): accounts.take(shares)
                case .nothing: break
                }
            }
        } catch {
            return error
        }
    }
}

extension PresenceRequest {
    /// The same of another asker, or of nobody who waits.
    func from(_ origin: Origin?) -> PresenceRequest {
        PresenceRequest(member: member, operation: operation, origin: origin, source: source)
    }
}

extension PresenceRequest.Operation {
    /// Whether it changes who is where.
    fileprivate var saysWhere: Bool {
        switch self {
        case .beat, .leave, .enter, .exit, .setState: true
        case .state, .occupancy, .survey, .channels: false
        }
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
