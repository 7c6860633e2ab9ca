// The life of a connection: connect, hello, resume, receive, end, wait, again.

import EventModel

extension SyncClient {
    /// Runs one session after the other until the client is closed.
    func runSessions() async {
        while true {
            let closure = await runSession()
            guard let delay = plan(after: closure) else { return }
            do {
                try await configuration.sleep(delay)
            } catch {
                return  // close() cancelled the wait.
            }
            if case .closed = phase { return }
        }
    }

    /// - Returns: How it ended.
    private func runSession() async -> WebSocketClosure {
        let began = ContinuousClock.now
        do throws(WebSocketClosure) {
            let connection = try await configuration.transport.connect(
                to: configuration.address, subprotocol: "sync.v1.json")
            if case .closed(let reason) = phase {
                connection.close(code: 1000)
                return WebSocketClosure(reason: reason)
            }
            self.connection = connection
            greet(on: connection)
            while true {
                try receive(try await connection.receive())
            }
        } catch {
            connection?.close(code: 1000)
            connection = nil
            if case .online = phase, ContinuousClock.now - began >= ClientLimits.goodSession {
                backoff.reset()
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
        retryTask?.cancel()
        retryTask = nil
        let lost = SyncClientError.connectionLost(reason: closure.reason)
        for item in commands.connectionBroke() {
            // A channel that is not followed any more has been left, however that came about.
            finish(
                item,
                item.kind == .unsubscribe ? .success(.unsubscribed(channels: [])) : .failure(lost))
        }
        let failure = SyncClientError.cannotConnect(
            to: "\(configuration.address)", reason: closure.reason)

        let comeback = Comeback(after: closure)
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
        do throws(FrameError) {
            frame = try decoder.decode(message) { commands.kindInFlight($0) }
        } catch {
            throw WebSocketClosure(reason: "a frame cannot be read: \(error)")
        }
        switch frame {
        case .push(let batch):
            apply(batch)
            run { $0.received(batch) }
        case .reply(let id, let result):
            guard let item = commands.answer(id) else { return }
            try handle(result, to: item)
            pump()
        case .lateReply, .complaint:
            break
        }
    }

    private func handle(
        _ result: Result<Reply, ProtocolError>, to item: Item
    ) throws(WebSocketClosure) {
        if case .failure(let error) = result, error.code == "draining", item.outlivesConnection {
            commands.holdBack(item)  // The daemon is about to close; the next session asks again.
            return
        }
        switch item.owner {
        case .hello:
            try welcome(result)
        case .resumption(let channels):
            guard case .success(.subscribed(let confirmed)) = result else {
                throw WebSocketClosure(reason: "\(channels.count) channels were not resumed")
            }
            for channel in confirmed { confirm(channel, isStart: false) }
        case .device(let ticket):
            run { $0.received(result, to: ticket) }
        case .caller:
            if case .success(.subscribed(let confirmed)) = result {
                for channel in confirmed
                where subscriptions[Channel(channel.channel)]?.start == item.id {
                    confirm(channel, isStart: true)
                }
            }
            finish(item, result.mapError { .refused($0) })
        }
    }

    // MARK: The beginning of a session

    private func greet(on connection: any WebSocketConnection) {
        let hello = Hello(
            userID: configuration.userID, deviceID: configuration.deviceID,
            keyset: configuration.keyset)
        sendFirst(.hello(hello), owner: .hello)
    }

    private func welcome(_ result: Result<Reply, ProtocolError>) throws(WebSocketClosure) {
        switch result {
        case .success(.hello(let welcome)):
            phase = .online(welcome)
            stopsAtFirstFailure = false
            emit(.connected(welcome))
            resume(subscriptions.keys.map(\.name))
            retryBackoff.reset()
            run { $0.connected(epoch: welcome.epoch) }
            resumeConnectWaiters(.success(welcome))
            pump()
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

    /// Asks for what was missed in these channels, as far as they were followed before.
    func resume(_ channels: [String]) {
        var requests = channels.sorted().compactMap {
            subscriptions[Channel($0)]?.resumption(of: $0)
        }[...]
        while !requests.isEmpty {
            let some = Array(requests.prefix(ClientLimits.channelsPerSubscribeMax))
            requests = requests.dropFirst(some.count)
            sendFirst(.subscribe(some), owner: .resumption(channels: some.map(\.channel)))
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
