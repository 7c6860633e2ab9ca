// HTTP on sockets: requests in, responses out.

import CWebsockets
import EventModel

extension WebSocketTransport {
    func respond(_ response: HTTPResponse, to id: SessionID) {
        guard let connection = connection(at: id.slot), connection.id == id else { return }
        // For short ones, too: many short rests are as much as few long ones.
        let hasRoom =
            makeRoom(for: response.body.count)
            || response.body.count <= Limits.unsentShortBytesMax
        if !hasRoom { count(.noRoom) }
        guard let bytes = connection.http?.answer(hasRoom ? response : .noRoom) else { return }
        setPace(of: connection, for: response)
        send(bytes, to: connection)
        // Within the delegate's own call, `take` goes on. Otherwise the loop does: whoever answers
        // is not to be called from here.
        guard !connection.isInDelegate else { return }
        let goesOn = connection.http?.isStreaming == true && connection.unsent.isEmpty
        // What the kernel took is not read yet, and it may take nothing more for ever.
        if goesOn, connection.pace != nil { watch(connection) }
        if goesOn || settle(connection) { unsafe lws_callback_on_writable(connection.wsi) }
        controlReading(connection)
    }

    func mayTakeLong(_ id: SessionID) {
        guard let connection = connection(at: id.slot), connection.id == id,
            connection.http?.isWaiting == true
        else { return }
        setDeadline(of: connection, in: nil)
        stopAwaitingAnswer(connection)
    }

    /// Tells the delegate that a connection which has asked something is gone, or a session.
    func forgetRequests(of connection: Connection) {
        guard connection.hasAsked else { return }
        connection.hasAsked = false
        requests.connectionDidClose(connection.id)
    }

    /// Looks for the peer's end again, though its answer has not come yet.
    func stopAwaitingAnswer(_ connection: Connection) {
        connection.isAnsweredSoon = false
        controlReading(connection)
    }

    func readRequests(_ bytes: Span<UInt8>, of connection: Connection) {
        guard let step = connection.http?.receive(bytes) else { return }
        take(step, on: connection)
        controlReading(connection)
    }

    /// The socket has taken all that there was, or ``respond(_:to:)`` asked to go on.
    func goOn(with connection: Connection) {
        _ = settle(connection)
        if let step = connection.http?.readOn() { take(step, on: connection) }
        controlReading(connection)
        countUnfinished(of: connection)
    }

    /// Does what the connection's bytes led to.
    ///
    /// A loop, not a recursion: a peer may send hundreds of requests at once.
    private func take(_ first: HTTPConnection.Step, on connection: Connection) {
        var next: HTTPConnection.Step? = first
        while let step = next {
            next = nil
            switch step {
            case .wait(let hasBegun):
                if hasBegun { setDeadline(of: connection, in: Limits.requestSeconds) }
            case .sendContinue:
                send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
            case .request(let request):
                if let refusal = refusal(of: request, on: connection) {
                    count(refusal)
                    if let bytes = connection.http?.answer(refusal) { send(bytes, to: connection) }
                } else {
                    deliver(request, of: connection)
                }
                if settle(connection) || connection.http?.isReceiving == true {
                    next = connection.http?.readOn()
                }
            case .part(let part, let isLast):
                deliver(part, isLast: isLast, of: connection)
                if settle(connection) || connection.http?.isReceiving == true {
                    next = connection.http?.readOn()
                }
            case .upgrade(let request):
                upgrade(connection, request)
            case .refuse(let refusal, let isHead):
                refuse(refusal, on: connection, isHead: isHead)
            case .hangUp:
                connection.ends(because: "a request that cannot be read")
                kill(connection)
            }
        }
    }

    private func deliver(_ request: HTTPRequest, of connection: Connection) {
        var request = request
        request.entrance = connection.entrance
        if connection.entrance == .local {
            request.peer = LocalPeer(of: connection.socket)?.description
        }
        connection.hasAsked = true
        connection.isInDelegate = true
        let mayTakeLong = requests.connection(connection.id, didRequest: request)
        connection.isInDelegate = false
        guard request.bodyLength != nil else {
            connection.isAnsweredSoon = !mayTakeLong
            return setDeadline(of: connection, in: mayTakeLong ? nil : Limits.halfClosedSeconds)
        }
        guard connection.http?.isReceiving == true else { return }
        connection.pace = BodyPace(at: milliseconds())
        watch(connection)
        if connection.http?.takeContinue() == true {
            send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
        }
    }

    private func deliver(_ part: [UInt8], isLast: Bool, of connection: Connection) {
        connection.pace?.moved(part.count, at: milliseconds())
        connection.isInDelegate = true
        requests.connection(connection.id, didReceive: part, isLast: isLast)
        connection.isInDelegate = false
        guard isLast, connection.http?.isWaiting == true else { return }
        connection.pace = nil
        connection.isHeld = false
        // Until disk and ledger have it.
        connection.isAnsweredSoon = true
        setDeadline(of: connection, in: Limits.halfClosedSeconds)
    }

    func hold(_ id: SessionID, _ isHeld: Bool) {
        guard let connection = connection(at: id.slot), connection.id == id else { return }
        connection.isHeld = isHeld
        if connection.http?.isReceiving == true {
            if isHeld {
                connection.pace?.pause(at: milliseconds())
            } else {
                connection.pace?.goOn(at: milliseconds())
            }
        }
        controlReading(connection)
    }

    /// Has a file that goes out keep its pace from its first part to its last but one; what is left
    /// then has a deadline, as every response has.
    private func setPace(of connection: Connection, for response: HTTPResponse) {
        switch response.part {
        case .head where response.length != nil: connection.pace = BodyPace(at: milliseconds())
        case .more: connection.pace?.goOn(at: milliseconds())
        case .head, .whole, .last: connection.pace = nil
        }
    }

    /// Looks after a file's pace from now on; one that is too slow already ends with the sweep.
    private func watch(_ connection: Connection) {
        let now = milliseconds()
        setDeadline(of: connection, at: connection.pace?.step(at: now) ?? now)
    }

    /// What a request hears that may not be asked for, by this name or from this page.
    private func refusal(of request: HTTPRequest, on connection: Connection) -> HTTPResponse? {
        let policy = settings.policy(at: connection.entrance)
        guard let refusal = policy.refusal(of: request.provenance, at: request.path) else {
            return nil
        }
        connection.ends(because: refusal.reason)
        requests.didRefuse(refusal, to: request.provenance, from: connection.id)
        return refusal.response(at: connection.entrance)
    }

    /// Sends the last response of a connection.
    func refuse(_ refusal: HTTPRefusal, on connection: Connection, isHead: Bool = false) {
        var response = requests.response(to: refusal).closing
        var origin: String?
        if case .bodyTooLong(let request) = refusal {
            origin = request.provenance.origin
            response = self.refusal(of: request, on: connection) ?? response
        }
        if !connection.entrance.isForClients { response = response.inOperatorsShape }
        count(response)
        send(response.encoded(omitsBody: isHead, for: origin), to: connection)
        _ = settle(connection)
    }

    /// Counts a refusal that only this room knows of.
    func count(_ refusal: HTTPResponse) { counters.errors.add("http_\(refusal.status)") }

    private func send(_ bytes: [UInt8], to connection: Connection) {
        transmit(bytes, on: connection)
        connection.responseSeconds =
            Limits.hangupSeconds + bytes.count / Limits.slowestBytesPerSecond
    }

    /// Reads from a connection, or pauses while that would do harm.
    ///
    /// lws closes a connection as soon as it reads the end of what the peer sends. A peer that has
    /// said all may end its half and wait: so its end is not read before its answer has left. Nor
    /// is more read from one that does not take its answers.
    private func controlReading(_ connection: Connection) {
        guard let http = connection.http else { return }
        let pauses =
            !connection.unsent.isEmpty || http.canReadOn
            || (http.isWaiting && connection.isAnsweredSoon)
            || (http.isReceiving && connection.isHeld)
        guard pauses != connection.isReadingPaused else { return }
        connection.isReadingPaused = pauses
        unsafe lws_rx_flow_control(connection.wsi, pauses ? 0 : 1)
    }

    /// A session is always read from: its limits are others.
    func resumeReading(_ connection: Connection) {
        guard connection.isReadingPaused else { return }
        connection.isReadingPaused = false
        unsafe lws_rx_flow_control(connection.wsi, 1)
    }

    /// After a part of a response was sent: asks for the next when the socket has taken it, so that
    /// nothing waits here for who reads slowly.
    private func tookPart(_ connection: Connection) {
        guard connection.unsent.isEmpty else {
            guard connection.pace == nil else { return watch(connection) }
            return setDeadline(of: connection, in: connection.responseSeconds)
        }
        connection.pace?.pause(at: milliseconds())
        setDeadline(of: connection, in: nil)
        guard connection.secure?.hasEnded != true else { return linger(connection) }
        requests.connectionDidTake(connection.id)
    }

    /// After a response was sent: goes on when the socket has taken all of it.
    ///
    /// - Returns: Whether there are bytes of the next request to read.
    private func settle(_ connection: Connection) -> Bool {
        guard connection.http?.isStreaming != true else {
            tookPart(connection)
            return false
        }
        guard connection.http?.isWriting == true else { return false }
        guard connection.unsent.isEmpty else {
            setDeadline(of: connection, in: connection.responseSeconds)
            return false
        }
        guard connection.http?.responseHasLeft() == true else {
            linger(connection)
            return false
        }
        guard connection.secure?.hasEnded != true else {
            linger(connection)
            return false
        }
        let hasMore = connection.http?.hasMore ?? false
        setDeadline(of: connection, in: hasMore ? Limits.requestSeconds : idleSeconds(connection))
        return hasMore
    }

    /// How long a connection may stay without a request.
    private func idleSeconds(_ connection: Connection) -> Int {
        connection.entrance.isForClients
            ? Limits.keepAliveSeconds : Limits.adminKeepAliveSeconds
    }
}
