// What becomes of requests that wait for events when tenants, tokens or rights change.

import EventModel

extension HTTPDoor {
    /// Hears that there are other tenants; polls of one that is gone are refused.
    ///
    /// Other requests are under way already, and are answered in a moment.
    ///
    /// - Parameter changed: Tenants whose tokens are checked otherwise now.
    func settingsChanged(requestsPerSecondMax: Int, changed: Set<String>) {
        clients.setRate(requestsPerSecondMax)
        // With its next request it shows what it is worth now.
        clients.release { account, _ in changed.contains(account.subscribeKey) }
        endPolls { call in
            if let refusal = refusal(of: call) { return refusal }
            guard changed.contains(call.author.keyset) else { return nil }
            do throws(ProtocolError) {
                try call.check(in: tenants)
                return nil
            } catch {
                return call.refusal(error)
            }
        }
    }

    /// Sends the polls back whose token is over or whose auth key may do less, and no longer counts
    /// connections that ask for nothing; called about once a second.
    func tick() {
        clients.releaseIdle(at: now) { waiting[$0] != nil }
        sayThatStreamsGoOn()
        guard tenants.areGuarded else { return }
        let seconds = hub.engine.seconds
        let keyGrants = tenants.keyGrants
        clients.release { _, credential in
            credential.isOver(at: seconds) || credential.isReduced(in: keyGrants)
        }
        sendBackPolls(because: .tokenExpired) { $0.isOver(at: seconds) }
        sendBackPolls(because: .tokenRevoked) { $0.isReduced(in: keyGrants) }
    }

    /// Hears that tokens were taken back, and sends the polls back that came with one of them.
    func tokensRevoked() {
        func isNoGood(_ credential: Credential) -> Bool {
            credential.isRevoked(by: tenants.revocations)
                || credential.isReduced(in: tenants.keyGrants)
        }
        clients.release { _, credential in isNoGood(credential) }
        sendBackPolls(because: .tokenRevoked, isNoGood)
    }

    /// Answers polls with nothing, not with what is wrong with their token: the client may have had
    /// another for long, which its next poll shows, and an SDK that is refused listens no more.
    private func sendBackPolls(because error: ProtocolError, _ isNoGood: (Credential) -> Bool) {
        for (connection, call) in waiting
        where isNoGood(call.credential) && waitsForEvents(connection) {
            tenants.audit.ended(
                .poll, because: error, of: call.author, with: call.credential, on: connection)
            if stream(on: connection) == nil {
                hub.polls.sendBack(connection)
            } else {
                forgetRequest(of: connection)
                respond(call.refusal(error), to: connection)
            }
        }
    }

    private func endPolls(_ refusal: (any HTTPCall) -> HTTPResponse?) {
        for (connection, call) in waiting where waitsForEvents(connection) {
            guard let refusal = refusal(call) else { continue }
            forgetRequest(of: connection)
            respond(refusal, to: connection)
        }
    }
}
