// One daemon that follows, as the one that orders sees it.

import Basis
import EventModel
import Glibc

/// Where its questions come in and what it is told leaves.
final class ServedLink: Sendable {
    /// As operators see it.
    struct Follower: Sendable {
        let address: String
        let since: LogTime
    }

    let follower: Follower
    /// Its place among the links.
    let slot: Int
    let generation: UInt32
    private let pipe: LinkPipe
    private let attendance = Locked(LinkAttendance())

    init(_ socket: LinkSocket, slot: Int, generation: UInt32, _ follower: Follower) {
        (self.slot, self.generation, self.follower) = (slot, generation, follower)
        pipe = LinkPipe(socket, name: "link-out", alive: LinkWriter.frame(LinkNews.alive))
    }

    /// Sends a frame; a daemon that is too far behind to get it is cut off, and begins anew.
    func send(_ frame: [UInt8]) {
        if !pipe.send(frame) { pipe.end() }
    }

    /// Carries out what its daemon asks, until the link ends.
    func serve(
        _ input: inout LinkInput, behind reactorCount: Int, at desk: LinkServer.Desk
    ) -> LinkEnd {
        do throws(LinkEnd) {
            while true {
                let request: LinkRequest = try LinkReader.value(of: try input.next())
                carryOut(request, as: reactorCount + slot, at: desk)
            }
        } catch {
            return error
        }
    }

    /// Says that nobody is where a session of that daemon held them.
    func end(at desk: LinkServer.Desk) {
        pipe.end()
        var rest = attendance.withLock { $0.exits }[...]
        while let request = rest.first {
            // Presence has no other way to learn of it.
            if desk.presence.ask(request) { rest.removeFirst() } else { usleep(10_000) }
        }
    }

    private func carryOut(_ request: LinkRequest, as reactor: Int, at desk: LinkServer.Desk) {
        let order = desk.door.order
        switch request {
        case .write(let write):
            let write = write.from(origin(write.origin, reactor))
            if !desk.door.requests.put(.write(write)) {
                order.answer(write.origin, .failure(.overloaded))
            }
        case .recall(let write): recall(write, origin(write.origin, reactor), desk.door)
        case .announcement(let announcement):
            guard let asker = announcement.origin else { return }
            let origin = origin(asker, reactor)
            switch order.announce(announcement.from(origin)) {
            case .at(let timetoken): order.answer(origin, .success(.published(timetoken)))
            case .waits: break
            case .refused: order.answer(origin, .failure(.overloaded))
            }
        case .position(let asker):
            let origin = origin(asker, reactor)
            switch order.now(for: origin) {
            case .at(let timetoken): order.answer(origin, .success(.pong(timetoken)))
            case .waits: break
            case .refused: order.answer(origin, .failure(.overloaded))
            }
        case .presence(let request):
            let asker = request.origin.map { origin($0, reactor) }
            let request = request.from(asker, behind: reactor)
            if desk.presence.ask(request) {
                attendance.withLock { $0.hear(request) }
            } else if let asker {
                send(
                    LinkWriter.frame(
                        LinkNews.presence(asker.number, .refused(.tooManyAnnouncements))))
            }
        case .mark(let asker):
            order.answer(origin(asker, reactor), .success(.pong(order.visible)))
        case .alive: break
        }
    }

    private func recall(_ write: Write, _ origin: Origin, _ door: LedgerDoor) {
        let question = LedgerDoor.Request.recall(write) { [self] result in
            let answer = result.map { Answer(origin: origin.number, result: $0) }
            send(LinkWriter.frame(LinkNews.recalled(origin.number, answer)))
        }
        if !door.requests.put(question) {
            let answer = Answer(origin: origin.number, result: .failure(.overloaded))
            send(LinkWriter.frame(LinkNews.recalled(origin.number, answer)))
        }
    }

    /// An asker's as it is here.
    private func origin(_ asker: Origin, _ reactor: Int) -> Origin {
        Origin(
            reactor: reactor, session: SessionID(slot: 0, generation: generation),
            command: asker.command)
    }
}

extension PresenceRequest {
    /// The same of a daemon whose sources have numbers behind all reactors'.
    fileprivate func from(_ origin: Origin?, behind reactor: Int) -> PresenceRequest {
        PresenceRequest(
            member: member, operation: operation, origin: origin,
            source: PresenceSource(
                reactor: (reactor + 1) * ReactorSet.countMax + source.reactor,
                connection: source.connection))
    }
}
