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
    let duties: LinkDuties
    private let pipe: LinkPipe

    init(_ socket: LinkSocket, slot: Int, _ duties: LinkDuties, _ follower: Follower) {
        (self.slot, self.duties, self.follower) = (slot, duties, follower)
        pipe = LinkPipe(socket, name: "link-out", alive: LinkWriter.frame(LinkNews.alive))
    }

    /// Sends a frame; a daemon that is too far behind to get it is cut off, and begins anew.
    func send(_ frame: [UInt8]) {
        if !pipe.send(frame) { pipe.end() }
    }

    /// Carries out what its daemon asks until the link ends; then nobody is where a session of that
    /// daemon held them.
    func serve(_ input: inout LinkInput, at desk: LinkServer.Desk) -> LinkEnd {
        var attendance = LinkAttendance()
        defer { end(attendance, at: desk) }
        do throws(LinkEnd) {
            while true {
                let request: LinkRequest = try LinkReader.value(of: try input.next())
                duties.carryOut(request, at: desk, &attendance) { [self] news in
                    send(LinkWriter.frame(news))
                }
            }
        } catch {
            return error
        }
    }

    private func end(_ attendance: LinkAttendance, at desk: LinkServer.Desk) {
        pipe.end()
        var rest = attendance.exits[...]
        while let request = rest.first {
            // Presence has no other way to learn of it.
            if desk.askPresence(request) { rest.removeFirst() } else { usleep(10_000) }
        }
    }
}

extension LinkServer.Desk: LinkDesk {
    func submit(_ write: Write) -> Bool {
        // As this daemon's own clients are answered.
        !door.isKeptWaiting && door.requests.put(.write(write))
    }

    func recall(
        _ write: Write, told: @escaping @Sendable (Result<Reply, ProtocolError>?) -> Void
    ) -> Bool {
        door.requests.put(.recall(write, told: told))
    }

    func announce(_ announcement: Announcement) -> Announced {
        door.isKeptWaiting ? .refused : door.order.announce(announcement)
    }

    func freshCursor(for origin: Origin) -> Announced { door.order.now(for: origin) }

    func answer(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        door.order.answer(origin, result)
    }

    var visible: Timetoken { door.order.visible }
    func askPresence(_ request: PresenceRequest) -> Bool { presence.ask(request) }
    func keep(_ promises: [PresencePromise]) { presence.keep(promises) }

    func hear(_ uses: [TenantUse], of reactor: Int) {
        self.uses.withLock { $0.hear(uses, of: reactor) }
    }
}
