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
        finish(result(answer, for: caller), to: answer.origin.command, of: session)
    }

    private func result(
        _ answer: PresenceAnswer, for caller: SessionCaller
    ) -> Result<Reply, ProtocolError> {
        switch (answer.reply, answer.request.operation) {
        case (.refused(let refusal), _): .failure(error(refusal, of: caller.author))
        case (.occupancy(let found), .occupancy(_, let page)):
            .success(.hereNow(OccupancyPage(found.first, of: page)))
        case (.channels(let channels), .channels):
            .success(.whereNow(channels: Operations.visible(channels, to: caller)))
        case (.done, .setState(_, let state)): .success(.state(state))
        case (.states(let states), .state): .success(.state(states.first?.state ?? "{}"))
        default: preconditionFailure("A command was answered with another's reply.")
        }
    }

    private func error(_ refusal: Presence.Refusal, of author: Author) -> ProtocolError {
        let keyset = tenants.keysets[author.keyset] ?? Keyset(subscribeKey: author.keyset)
        return ProtocolError(refusal, of: tenants.accounts.account(of: keyset))
    }
}

extension OccupancyPage {
    /// As much of what presence found as one reply may hold.
    fileprivate init(_ found: Occupancy?, of page: Presence.Page) {
        let all = found?.users ?? []
        var bytes = 0
        let count = all.prefix { user in
            defer { bytes += 40 + user.userID.utf8.count + (user.state?.utf8.count ?? 0) }
            return bytes <= Limits.presencePageBytesMax
        }.count
        let occupancy = found?.count ?? 0
        let end = page.offset + count
        self.init(
            occupancy: occupancy, users: Array(all.prefix(count)),
            next: count > 0 && end < occupancy ? end : nil)
    }
}
