// What presence says to sessions, as replies.

import EventModel

extension NativeDoor {
    /// Takes presence's answer to a command.
    func finish(_ answer: PresenceAnswer, of session: Session) {
        guard let author = session.author else { return }
        if case .enter(let channels, _) = answer.request.operation {
            guard case .refused(let refusal) = answer.reply else { return }
            let error = self.error(refusal, of: author)
            return hub.outlet.send(session) { json in
                ReplyEncoder.encode(absent: channels, because: error, into: &json)
            }
        }
        let caller = SessionCaller(
            id: answer.origin.command, session: session, author: author, hub: hub,
            tenants: tenants)
        let result = CommandRouter.result(
            answer.reply, to: answer.request.operation, for: caller)
        finish(result, to: answer.origin.command, of: session)
    }

    private func error(_ refusal: Presence.Refusal, of author: Author) -> ProtocolError {
        let keyset = tenants.keysets[author.keyset] ?? Keyset(subscribeKey: author.keyset)
        return ProtocolError(refusal, of: tenants.accounts.account(of: keyset))
    }
}
