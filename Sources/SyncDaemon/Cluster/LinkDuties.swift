// What the daemon that orders does for one that follows: the deciding half of its end.

import EventModel

/// What a link asks of the daemon that orders.
protocol LinkDesk {
    /// Queues a write; `false` when too many wait.
    func submit(_ write: Write) -> Bool
    /// As ``LedgerDoor/Request/recall(_:told:)`` has it; `false` when too many wait.
    func recall(
        _ write: Write, told: @escaping @Sendable (Result<Reply, ProtocolError>?) -> Void
    ) -> Bool
    func announce(_ announcement: Announcement) -> Announced
    func freshCursor(for origin: Origin) -> Announced
    /// Tells an asker by a step, behind all earlier ones.
    func answer(_ origin: Origin, _ result: Result<Reply, ProtocolError>)
    /// What is visible now.
    var visible: Timetoken { get }
    func askPresence(_ request: PresenceRequest) -> Bool
    /// Has presence keep who is where.
    func keep(_ promises: [PresencePromise])
    /// Takes what tenants have of the daemon that stands for this reactor here.
    func hear(_ uses: [TenantUse], of reactor: Int)
}

/// Carries out what one link's daemon asks, and knows what is its.
struct LinkDuties: Sendable {
    /// Stands for that daemon's reactors here.
    let reactor: Int
    /// Of no other link that had the same place.
    let generation: UInt32

    /// Whether an asker is that daemon's.
    func owns(_ origin: Origin) -> Bool {
        origin.reactor == reactor && origin.session.generation == generation
    }

    /// What a step answers of that daemon's questions.
    func answers(of step: Commit) -> [Answer] {
        step.answers.filter { owns($0.origin) }.map {
            Answer(origin: $0.origin.number, result: $0.result)
        }
    }

    /// - Parameters:
    ///   - attendance: Of that daemon's sessions.
    ///   - tell: Says something to it; any thread may call.
    func carryOut(
        _ request: LinkRequest, at desk: some LinkDesk, _ attendance: inout LinkAttendance,
        tell: @escaping @Sendable (LinkNews) -> Void
    ) {
        switch request {
        case .write(let write):
            let write = write.from(here(write.origin))
            if !desk.submit(write) { desk.answer(write.origin, .failure(.overloaded)) }
        case .recall(let write):
            let number = write.origin.number
            let told: @Sendable (Result<Reply, ProtocolError>?) -> Void = { result in
                tell(.recalled(number, result.map { Answer(origin: number, result: $0) }))
            }
            if !desk.recall(write.from(here(write.origin)), told: told) {
                told(.failure(.overloaded))
            }
        case .announcement(let announcement):
            guard let asker = announcement.origin.map(here) else { return }
            conclude(desk.announce(announcement.from(asker)), asker, at: desk) { .published($0) }
        case .position(let asker):
            let asker = here(asker)
            conclude(desk.freshCursor(for: asker), asker, at: desk) { .pong($0) }
        case .presence(let asked):
            let request = here(asked)
            if desk.askPresence(request) {
                attendance.hear(request)
            } else if let number = asked.origin?.number {
                tell(.presence(number, .refused(.tooManyAnnouncements)))
            }
        case .mark(let asker): desk.answer(here(asker), .success(.pong(desk.visible)))
        case .promises(let promises): desk.keep(promises)
        case .use(let uses): desk.hear(uses, of: reactor)
        case .alive: break
        }
    }

    private func conclude(
        _ announced: Announced, _ asker: Origin, at desk: some LinkDesk,
        _ reply: (Timetoken) -> Reply
    ) {
        if let result = announced.result(reply) { desk.answer(asker, result) }
    }

    /// An asker of that daemon's as it is here.
    private func here(_ asker: Origin) -> Origin {
        Origin(
            reactor: reactor, session: SessionID(slot: 0, generation: generation),
            command: asker.command)
    }

    /// The same of what is asked of presence: sources have numbers behind all reactors'.
    private func here(_ request: PresenceRequest) -> PresenceRequest {
        PresenceRequest(
            member: request.member, operation: request.operation,
            origin: request.origin.map(here),
            source: PresenceSource(
                reactor: (reactor + 1) * ReactorSet.countMax + request.source.reactor,
                connection: request.source.connection))
    }
}
