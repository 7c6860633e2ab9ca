// Tokens that a provider makes: one for each session, and another one before its time is over.

import EventModel

extension SyncClient {
    /// The token for the next session.
    func tokenForSession() async throws(WebSocketClosure) -> String? {
        guard let provider = configuration.tokenProvider else { return configuration.token }
        do {
            return try await provider()
        } catch {
            throw WebSocketClosure(reason: "there is no token: \(error)")
        }
    }

    /// Has another token shown before the session's time is over.
    ///
    /// - Parameter seconds: Until then; `nil`: it has no end.
    func showAnotherToken(before seconds: Int?) {
        tokenTask?.cancel()
        tokenTask = nil
        tokenEnds = seconds.map { .now + .seconds($0) }
        guard let seconds, seconds > 0, let provider = configuration.tokenProvider else { return }
        let delay = Duration.seconds(seconds - min(ClientLimits.tokenSecondsLeft, seconds / 5))
        let sleep = configuration.sleep
        tokenTask = Task { [weak self] in
            do {
                try await sleep(delay)
                let token = try await provider()
                try Task.checkCancellation()
                await self?.show(token)
            } catch is CancellationError {
                return
            } catch {
                await self?.lackToken(because: "\(error)")
            }
        }
    }

    private func show(_ token: String) {
        guard case .online = phase else { return }
        sendFirst(.token(token), owner: .token)
    }

    func tokenShown(_ result: Result<Reply, ProtocolError>) {
        switch result {
        case .success(.tokenShown(let seconds)): showAnotherToken(before: seconds)
        case .success: break
        case .failure(let error): lackToken(because: error.message)
        }
    }

    /// Tries again while there is time; then the daemon ends the session, and the next one tries.
    private func lackToken(because reason: String) {
        report(SyncEvent.Problem(channel: nil, reason: "There is no other token: \(reason)"))
        guard let end = tokenEnds else { return }
        showAnotherToken(before: Int((end - .now).components.seconds))
    }

    /// Whether another token may open what was closed or refused with this code.
    func mayComeBack(after code: String) -> Bool {
        configuration.tokenProvider != nil
            && [
                "token_missing", "token_invalid", "token_expired", "token_revoked", "forbidden",
            ].contains(code)
    }

    /// The same of a connection that the daemon closed: the reason begins with the code.
    func mayComeBack(after closure: WebSocketClosure) -> Bool {
        closure.code == 1008 && mayComeBack(after: String(closure.reason.prefix { $0 != ":" }))
    }
}
