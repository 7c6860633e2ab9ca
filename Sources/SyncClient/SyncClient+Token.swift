// Tokens that a provider makes: one for each session, and another one before its time is over.

import EventModel

extension SyncClient {
    /// Asks ``Configuration/tokenProvider`` now, and shows the daemon what it gives, for example
    /// when the user was let into another channel.
    ///
    /// Returns at once; what goes wrong is a ``SyncEvent/problem(_:)``. Channels that were refused
    /// for want of a right are asked for again. While there is no session, the next one begins
    /// with what the provider gives then.
    public func renewToken() {
        guard configuration.tokenProvider != nil else {
            return report(
                SyncEvent.Problem(channel: nil, reason: "There is no tokenProvider to be asked."))
        }
        wantsToken = true
        switch phase {
        case .online: askForToken()
        case .connecting where waiting != nil: reconnectNow()
        case .connecting, .idle, .closed: break
        }
    }

    /// The token for the next session.
    func tokenForSession() async throws(WebSocketClosure) -> String? {
        guard let provider = configuration.tokenProvider else { return configuration.token }
        wantsToken = false
        do {
            return try await TokenRequest(provider, within: configuration.tokenTimeout).answer()
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
        guard let seconds, seconds > 0, configuration.tokenProvider != nil else { return }
        let delay = Duration.seconds(seconds - min(ClientLimits.tokenSecondsLeft, seconds / 5))
        let sleep = configuration.sleep
        tokenTask = Task { [weak self] in
            do {
                try await sleep(delay)
                try Task.checkCancellation()
            } catch {
                return
            }
            await self?.askForToken()
        }
    }

    /// Gets another token and shows it, unless one is on its way.
    func askForToken() {
        guard case .online = phase, tokenRequest == nil, let provider = configuration.tokenProvider
        else { return }
        wantsToken = false
        let request = TokenRequest(provider, within: configuration.tokenTimeout)
        tokenRequest = Task { [weak self] in
            do {
                let token = try await request.answer()
                await self?.show(token)
            } catch {
                await self?.lackToken(because: "\(error)")
            }
        }
    }

    /// The session is over, and what was to be shown in it.
    func forgetTokens() {
        showAnotherToken(before: nil)
        tokenRequest?.cancel()
        tokenRequest = nil
    }

    private func show(_ token: String) {
        // Cancelled: it was for a session that is over.
        guard case .online = phase, !Task.isCancelled else { return }
        sendFirst(.token(token), owner: .token)
    }

    func tokenShown(_ result: Result<Reply, ProtocolError>) {
        switch result {
        case .success(let reply):
            tokenRequest = nil
            if case .tokenShown(let seconds) = reply { showAnotherToken(before: seconds) }
            run { $0.allowed() }
            commands.goOn()
            pump()
            if wantsToken { askForToken() }
        case .failure(let error):
            lackToken(because: error.message)
        }
    }

    /// Tries again while there is time; then the daemon ends the session, and the next one tries.
    private func lackToken(because reason: String) {
        guard case .online = phase, !Task.isCancelled else { return }
        tokenRequest = nil
        report(SyncEvent.Problem(channel: nil, reason: "There is no other token: \(reason)"))
        if let end = tokenEnds { showAnotherToken(before: Int((end - .now).components.seconds)) }
        if wantsToken { askForToken() }
    }

    /// Whether another token may open what was closed or refused with this code.
    func mayComeBack(after code: String) -> Bool {
        let error = ProtocolError(status: 401, code: code, message: "")
        return configuration.tokenProvider != nil && (error.isAboutToken || code == "forbidden")
    }

    /// The same of a connection that the daemon closed: the reason begins with the code.
    func mayComeBack(after closure: WebSocketClosure) -> Bool {
        closure.code == 1008 && mayComeBack(after: String(closure.reason.prefix { $0 != ":" }))
    }
}

/// A provider that is asked once, and given up after a time, whether or not it heeds that.
struct TokenRequest: Sendable {
    typealias Provider = @Sendable () async throws -> String

    private let provider: Provider
    private let timeout: Duration

    init(_ provider: @escaping Provider, within timeout: Duration) {
        self.provider = provider
        self.timeout = timeout
    }

    /// Why what a provider did is no answer.
    enum Failure: Error, CustomStringConvertible {
        case none(within: Duration)
        case size(Int)

        var description: String {
            switch self {
            case .none(let time): "the provider gave none within \(time)"
            case .size(let bytes):
                "the provider gave \(bytes) bytes, and a token has 1 to \(Limits.tokenBytesMax)"
            }
        }
    }

    func answer() async throws -> String {
        let (answers, answer) = AsyncStream<Result<String, any Error>>.makeStream()
        let asking = Task { [provider] in
            do {
                answer.yield(.success(try await provider()))
            } catch {
                answer.yield(.failure(error))
            }
        }
        let waiting = Task { [timeout] in
            try await Task.sleep(for: timeout)
            answer.yield(.failure(Failure.none(within: timeout)))
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        // The first one counts; none comes when this task is cancelled.
        for await first in answers {
            let token = try first.get()
            guard (1...Limits.tokenBytesMax).contains(token.utf8.count) else {
                throw Failure.size(token.utf8.count)
            }
            return token
        }
        throw CancellationError()
    }
}
