// hello: a connection says who it is, and becomes a session.

import EventModel

extension Operations {
    /// Gives a session its author; the one command that comes before there is a caller.
    static func hello(
        _ hello: Hello, session: Session, engine: any Engine, tenants: Tenants
    ) -> OperationOutcome {
        guard session.author == nil else { return .refused(.helloAgain) }
        var channelsMax = Limits.channelsPerSessionMax
        do throws(ProtocolError) {
            let keyset = try tenants.admit(to: hello.keyset ?? tenants.keysets.defaultKey)
            let author = Author(
                keyset: keyset.subscribeKey, userID: hello.userID, deviceID: hello.deviceID)
            session.credential = try tenants.credential(
                for: hello.token, of: author, in: keyset, from: session.id, at: engine.seconds)
            let account = try tenants.seat(in: keyset)
            session.account = account
            channelsMax = min(channelsMax, account.subscriptionsOfFirstConnection)
            session.token = hello.token
            session.author = author
        } catch {
            return .refused(error)
        }
        session.publishKey = hello.publishKey
        return .done(
            .hello(
                Welcome(
                    session: "\(engine.reactor)-\(session.id)",
                    time: Timetoken(rawValue: engine.wallTicks()), epoch: engine.epoch,
                    channelsMax: channelsMax,
                    tokenExpires: session.credential.secondsLeft(at: engine.seconds))))
    }
}
