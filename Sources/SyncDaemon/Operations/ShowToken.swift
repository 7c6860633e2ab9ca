// token: a session shows another token before its own is over, and goes on.

import EventModel

extension Operations {
    /// Puts a token in the place of the session's, if it is one of the same user and device.
    ///
    /// What the session follows is not looked at: see ``Need/following(_:at:)``.
    static func showToken(
        _ token: String, for caller: SessionCaller, tenants: Tenants
    ) -> OperationOutcome {
        let session = caller.session
        do throws(ProtocolError) {
            session.credential = try tenants.credential(
                for: token, of: caller.author, in: try tenants.admit(to: caller.author.keyset),
                from: session.id, at: caller.engine.seconds)
            session.token = token
        } catch {
            return .refused(error)
        }
        let seconds = session.credential.secondsLeft(at: caller.engine.seconds)
        return .done(.tokenShown(expires: seconds))
    }
}

extension Need {
    /// What a live query takes: it reads what stands, and hears what happens.
    static func live(in channel: String) -> Need { .having([.read, .history], on: [channel]) }

    /// What it takes to go on following what a session follows.
    static func following(_ session: Session, at now: Timetoken) -> Need {
        Need(
            places: session.selections.map { selection, followed in
                selection.place(having: .reading(followed.pace.actions, after: nil, at: now))
            }
                + session.subscriptions.filter(\.value.isNamed).map { channel, subscription in
                    // One that is behind still reads the past.
                    let cursor = subscription.state == .live ? nil : subscription.position
                    var reading = Rights.reading(subscription.actions, after: cursor, at: now)
                    // What is before a part is told, too.
                    if subscription.window != nil { reading.formUnion(.history) }
                    let isPresent = session.attended.contains(ExactText(channel.name))
                    return Place(
                        kind: .channel, name: channel.name,
                        rights: isPresent ? reading.union(.presence) : reading)
                })
    }
}
