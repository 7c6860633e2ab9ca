// The life of a connection: connect, hello, resume, receive, end, wait, again.

import EventModel

extension SyncClient {
    /// Runs one session after the other until the client is closed or disconnected.
    func runSessions() async {
        while true {
            let closure = await runSession()
            guard let delay = plan(after: closure) else { return }
            await wait(delay, because: closure.reason)
            if case .closed = phase { return }
            if isDisconnecting { return rest() }
        }
    }

    /// Waits before the next attempt, until `waitTask` is cancelled at most.
    private func wait(_ delay: Duration, because reason: String) async {
        let sleep = configuration.sleep
        let task = Task { try await sleep(delay) }
        waitTask = task
        waiting = (until: .now + delay, reason: reason)
        _ = await task.result
        waitTask = nil
        waiting = nil
    }

    /// `disconnect()` was called, and nothing is under way any more.
    private func rest() {
        let reason = "disconnect() was called"
        isDisconnecting = false
        phase = .idle
        backoff.reset()
        for item in commands.removeAll() { finish(item, .failure(.connectionLost(reason: reason))) }
        resumeConnectWaiters(.failure(.notConnected))
        emit(.disconnected(reason: reason, retryIn: nil))
    }

    /// - Returns: How it ended.
    private func runSession() async -> WebSocketClosure {
        let began = ContinuousClock.now
        do throws(WebSocketClosure) {
            let token = try await tokenForSession()
            let connection = try await configuration.transport.connect(
                to: configuration.address, subprotocol: "sync.v1.json")
            if case .closed(let reason) = phase {
                connection.close(code: 1000)
                return WebSocketClosure(reason: reason)
            }
            if isDisconnecting {
                connection.close(code: 1000)
                return WebSocketClosure(reason: "disconnect() was called")
            }
            self.connection = connection
            greet(on: connection, token)
            while true {
                try receive(try await connection.receive())
            }
        } catch {
            connection?.close(code: 1000)
            connection = nil
            if case .online = phase, ContinuousClock.now - began >= ClientLimits.goodSession {
                backoff.reset()
            }
            if let seconds = silence?.components.seconds {
                silence = nil
                return WebSocketClosure(reason: "nothing was answered within \(seconds) s")
            }
            return error
        }
    }

    /// Decides what the end of a session means.
    ///
    /// - Returns: How long to wait for the next one; `nil`: there is none.
    private func plan(after closure: WebSocketClosure) -> Duration? {
        if case .closed = phase { return nil }
        device.disconnected()
        loseLiveLists()
        retryTask?.cancel()
        retryTask = nil
        forgetTokens()
        let lost = SyncClientError.connectionLost(reason: closure.reason)
        for item in commands.connectionBroke() { finish(item, .failure(lost)) }
        if isDisconnecting {
            rest()
            return nil
        }
        let failure = SyncClientError(connectingTo: configuration.address, closure)

        let comeback = mayComeBack(after: closure) ? .backoff : Comeback(after: closure)
        if comeback == .never {
            emit(.disconnected(reason: closure.reason, retryIn: nil))
            resumeConnectWaiters(.failure(failure))
            retire(reason: "the daemon closed with \(closure.code ?? 0): \(closure.reason)")
            return nil
        }
        if case .connecting = phase {
            resumeConnectWaiters(.failure(failure))
            if stopsAtFirstFailure {
                phase = .idle
                for item in commands.removeAll() { finish(item, .failure(.notConnected)) }
                return nil
            }
        }
        phase = .connecting
        let random = configuration.random()
        let delay =
            comeback == .soon ? .seconds(1) * random : backoff.nextDelay(random: random)
        emit(.disconnected(reason: closure.reason, retryIn: delay))
        return delay
    }

    // MARK: What comes in

    private func receive(_ message: [UInt8]) throws(WebSocketClosure) {
        let frame: ServerFrame
        var problems: [SyncEvent.Problem] = []
        do throws(FrameError) {
            frame = try decoder.decode(message, problems: &problems) { commands.kindInFlight($0) }
        } catch {
            return try leaveOut(error)
        }
        for problem in problems
        where problem.channel.map({ device.channel($0) != nil }) ?? true { report(problem) }
        switch frame {
        case .push(let batch):
            announcePresence(batch)
            run { $0.received(batch) }
        case .rules(let rules):
            run { $0.received(rules) }
        case .read(let marks):
            run { $0.received(marks) }
        case .reply(let id, let result):
            guard let item = commands.answer(id) else { return }
            try handle(result, to: item)
            pump()
        case .live(let id, let changes):
            liveChanged(id, changes)
        case .liveEnded(let id, _):
            liveEnded(id)
        case .absent(let channels, let error):
            for channel in channels {
                report(
                    SyncEvent.Problem(
                        channel: channel, reason: "The user may not be in it. \(error)"))
            }
        case .follows(let news): received(news)
        case .followsNoMore(let selection, let error): refused(selection, error)
        case .lateReply:
            break
        case .complaint(let error):
            report(SyncEvent.Problem(channel: nil, reason: "The daemon complains: \(error)"))
        }
    }

    /// Goes on after a frame that cannot be read: it costs what it was about.
    private func leaveOut(_ error: FrameError) throws(WebSocketClosure) {
        guard let id = error.id, let item = commands.answer(id) else {
            report(SyncEvent.Problem(channel: nil, reason: "A frame cannot be read. \(error)"))
            return
        }
        guard case .caller = item.owner else {
            // The session rests on this answer.
            throw WebSocketClosure(reason: "a reply cannot be read: \(error)")
        }
        finish(item, .failure(.badReply(error.description)))
        pump()
    }

    func report(_ problem: SyncEvent.Problem) {
        problemCount += 1
        emit(.problem(problem))
    }

    private func handle(
        _ result: Result<Reply, ProtocolError>, to item: Item
    ) throws(WebSocketClosure) {
        if case .failure(let error) = result, item.outlivesConnection,
            error.code == "draining" || error.isAboutToken && configuration.tokenProvider != nil
        {
            commands.holdBack(item)  // The daemon is about to close; the next session asks again.
            return
        }
        switch item.owner {
        case .hello:
            try welcome(result)
        case .token:
            tokenShown(result)
        case .selection(let selection):
            followed(selection, result)
        case .device(let ticket):
            run { $0.received(result, to: ticket) }
        case .live(let number, let serial):
            liveAnswered(result, for: number, serial)
        case .caller:
            finish(item, result.mapError { .refused($0) })
        }
    }

    // MARK: The beginning of a session

    private func greet(on connection: any WebSocketConnection, _ token: String?) {
        let hello = Hello(
            userID: configuration.userID, deviceID: configuration.deviceID,
            keyset: configuration.keyset, publishKey: configuration.publishKey,
            token: token)
        sendFirst(.hello(hello), owner: .hello)
    }

    private func welcome(_ result: Result<Reply, ProtocolError>) throws(WebSocketClosure) {
        switch result {
        case .success(.hello(let welcome)):
            phase = .online(welcome)
            stopsAtFirstFailure = false
            emit(.connected(welcome))
            retryBackoff.reset()
            showAnotherToken(before: welcome.tokenExpires)
            askForSelections()
            run { $0.connected(epoch: welcome.epoch) }
            beginLiveLists()
            resumeConnectWaiters(.success(welcome))
            pump()
            if wantsToken { askForToken() }
        case .failure(let error) where mayComeBack(after: error.code):
            resumeConnectWaiters(.failure(.refused(error)))
            throw WebSocketClosure(reason: error.message)
        case .failure(let error) where error.status < 429:
            // The same hello would be refused again.
            resumeConnectWaiters(.failure(.refused(error)))
            emit(.disconnected(reason: error.message, retryIn: nil))
            retire(reason: error.message)
            throw WebSocketClosure(reason: error.message)
        case .failure(let error):
            throw WebSocketClosure(reason: error.message)
        case .success:
            throw WebSocketClosure(reason: "the reply to hello is another one")
        }
    }

    // MARK: What goes out

    /// Sends a command of the client's own, before everything that waits.
    func sendFirst(_ command: Command, owner: Owner) {
        let id = nextID()
        let frame = CommandEncoder.encode(command, id: id)
        commands.addSent(
            Item(
                id: id, kind: command.kind, frame: frame,
                deadline: .now + configuration.commandTimeout, owner: owner,
                outlivesConnection: false))
        connection?.send(frame)
        watchDeadlines()
    }

    /// Sends as much as the daemon may have at one time.
    func pump() {
        guard case .online = phase, let connection else { return }
        while let frame = commands.nextToSend() { connection.send(frame) }
    }
}
