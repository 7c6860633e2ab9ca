// Where the users of this reactor's sessions are, and telling presence of those who go.

import Basis
import EventModel

/// What sessions said of presence, until presence knows that it is over.
///
/// Presence hears of each departure: it has no time after which a session's user is gone.
final class Attendance {
    /// A session that is gone, and the channels of which presence has to hear.
    private struct Leaver {
        let member: Presence.Member
        let source: PresenceSource
        var names: Set<ExactText>.Iterator
    }

    /// Oldest first.
    private var leavers = Queue<Leaver>()
    /// What presence had no room for: it hears of each session in the order of what that said.
    private var untold = Queue<PresenceRequest>()
    private let ground: Ground

    init(ground: Ground) { self.ground = ground }

    /// Whether what a session says now reaches presence behind all that it said before.
    var mayEnter: Bool { untold.isEmpty }

    /// Notes that presence has been told where a session's user is.
    func entered(_ session: Session, _ channels: [String]) {
        for name in channels { session.attended.insert(ExactText(name)) }
    }

    /// A session's user goes from those of these channels where they are.
    ///
    /// - Returns: These.
    @discardableResult
    func leave(_ session: Session, _ channels: [String]) -> [String] {
        guard !session.attended.isEmpty, let member = session.member else { return [] }
        let left = channels.filter { session.attended.remove(ExactText($0)) != nil }
        if !left.isEmpty { tell(member, source(of: session), left, isCut: false) }
        return left
    }

    /// The connection of a session is gone, or going: of what it attended presence hears in the
    /// turns to come.
    func end(_ session: Session) {
        guard !session.attended.isEmpty, let member = session.member else { return }
        leavers.append(
            Leaver(
                member: member, source: source(of: session),
                names: session.attended.makeIterator()))
        session.attended = []
    }

    /// Whether somebody has gone of whom presence has to be told yet.
    var hasLeavers: Bool { !leavers.isEmpty }

    /// Tells presence of some who are gone.
    func endTurn() {
        var rest = Limits.endedPerTurnMax
        while rest > 0, var leaver = leavers.popFirst() {
            var names: [String] = []
            while names.count < rest, let name = leaver.names.next() { names.append(name.string) }
            // What ended just here has nothing left, and is found out in the next turn.
            if names.count == rest { leavers.prepend(leaver) }
            rest -= max(1, names.count)
            if !names.isEmpty { tell(leaver.member, leaver.source, names, isCut: true) }
        }
        while let request = untold.first, ground.engine.askPresence(request) {
            _ = untold.popFirst()
        }
    }

    private func tell(
        _ member: Presence.Member, _ source: PresenceSource, _ names: [String], isCut: Bool
    ) {
        let request = PresenceRequest(
            member: member, operation: .exit(channels: names, isCut: isCut), origin: nil,
            source: source)
        if !untold.isEmpty || !ground.engine.askPresence(request) { untold.append(request) }
    }

    private func source(of session: Session) -> PresenceSource {
        PresenceSource(reactor: ground.engine.reactor, connection: session.id)
    }

    func checkInvariants(of sessions: some Sequence<Session>) {
        for session in sessions where !session.attended.isEmpty {
            guard let author = session.author else {
                preconditionFailure("Only who said who they are is anywhere.")
            }
            precondition(!session.isClosing, "Who goes is nowhere.")
            for name in session.attended {
                let channel = Channel(name.string, keyset: author.keyset)
                precondition(
                    session.subscriptions[channel] != nil, "Who is in a channel follows it.")
            }
        }
    }
}

extension Session {
    fileprivate var member: Presence.Member? {
        author.map { Presence.Member(userID: $0.userID, keyset: $0.keyset) }
    }
}
