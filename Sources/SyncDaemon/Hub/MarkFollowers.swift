// Which sessions are told where their user's read marks move.

import Basis
import EventModel

/// The sessions of one reactor that asked what their user has not read.
final class MarkFollowers {
    private struct Reader: Hashable {
        let keyset: ExactText
        let user: ExactText
    }

    private var sessions: [Reader: [SessionID: Session]] = [:]
    private let outlet: Outlet

    init(outlet: Outlet) { self.outlet = outlet }

    /// Tells a session from now on.
    func follow(_ session: Session) {
        guard let reader = reader(of: session) else { return }
        sessions[reader, default: [:]][session.id] = session
    }

    func forget(_ session: Session) {
        guard let reader = reader(of: session) else { return }
        sessions[reader]?[session.id] = nil
        if sessions[reader]?.isEmpty == true { sessions[reader] = nil }
    }

    /// Tells of the marks that a commit moved: one frame for all sessions of a user.
    func moved(_ marks: [MovedMark]) {
        guard !marks.isEmpty, !sessions.isEmpty else { return }
        var moved: [Reader: [String: Timetoken]] = [:]
        for mark in marks {
            let reader = Reader(
                keyset: ExactText(mark.channel.keyset), user: ExactText(mark.userID))
            guard sessions[reader] != nil else { continue }
            moved[reader, default: [:]][mark.channel.name] = mark.through
        }
        for (reader, marks) in moved {
            let frame = marks.map { ReadMark(channel: $0.key, through: $0.value) }
                .sorted { $0.through < $1.through }
            for session in (sessions[reader] ?? [:]).values {
                outlet.send(session) { json in ReplyEncoder.encode(frame, into: &json) }
            }
        }
    }

    private func reader(of session: Session) -> Reader? {
        session.author.map {
            Reader(keyset: ExactText($0.keyset), user: ExactText($0.userID))
        }
    }

    func checkInvariants(of known: [SessionID: Session]) {
        for (reader, sessions) in sessions {
            precondition(!sessions.isEmpty, "Nobody is listed who is not told.")
            for (id, session) in sessions {
                precondition(known[id] === session, "Who is told is there.")
                precondition(self.reader(of: session) == reader, "A session has one user.")
            }
        }
    }
}
