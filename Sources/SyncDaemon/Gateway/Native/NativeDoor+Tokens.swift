// Sessions whose tokens are worth nothing any more: over, taken back, or of keys that are gone.

import EventModel

extension NativeDoor {
    /// Closes sessions whose token's time is over.
    func closeLapsed() {
        for session in hub.sessions.values { _ = closesAsLapsed(session) }
    }

    /// Closes a session whose token's time is over; asked before each of its commands, too, so that
    /// none is refused which its client can send again with another token.
    ///
    /// - Returns: Whether it was.
    func closesAsLapsed(_ session: Session) -> Bool {
        guard session.credential.isOver(at: hub.engine.seconds) else { return false }
        end(session, because: .tokenExpired)
        return true
    }

    /// Closes a session whose token was good until now, and leaves a trail.
    private func end(_ session: Session, because error: ProtocolError) {
        guard !session.isClosing else { return }
        if let author = session.author {
            tenants.audit.ended(
                .session, because: error, of: author, with: session.credential, on: session.id)
        }
        hub.outlet.close(session, CloseReason(error))
    }

    /// Hears that tokens were taken back, and closes the sessions that showed one of them.
    func tokensRevoked() {
        let revoked = tenants.revocations
        for session in hub.sessions.values where session.credential.isRevoked(by: revoked) {
            end(session, because: .tokenRevoked)
        }
    }

    /// Looks at a session's token with its tenant's new keys.
    func checkAgain(_ session: Session, of author: Author) {
        do throws(ProtocolError) {
            session.credential = try tenants.credential(
                ofStaying: author, with: session.token, as: session.credential,
                from: session.id, at: hub.engine.seconds)
        } catch {
            hub.outlet.close(session, CloseReason(error))
        }
    }

    /// Ends live queries that a new token does not allow, and closes a session that follows what it
    /// does not allow: whoever comes again asks for each channel anew.
    func endWhatIsNotAllowed(of caller: SessionCaller) {
        for query in caller.session.live?.all.values.map(\.self) ?? []
        where caller.refusal(of: .live(in: query.topic.channel.name)) != nil {
            hub.live.end(query, because: .forbidden)
        }
        let need = Need.following(caller.session, at: hub.engine.wallTime)
        guard let error = caller.refusal(of: need) else { return }
        hub.outlet.close(caller.session, CloseReason(error))
    }
}
