// TLS between sockets and what is read from them: handshakes, and bytes in both directions.

import CWebsockets
import EventModel

extension WebSocketTransport {
    /// Has new connections see the certificate of the settings.
    func takeIdentity() {
        guard let identity = settings.tls else { return }
        do throws(TLSIdentityError) {
            if let tls { try tls.take(identity) } else { tls = try TLSEngine(identity) }
        } catch {
            // It was looked at before.
            preconditionFailure("A certificate that could be used cannot be used: \(error)")
        }
    }

    /// Takes what a peer of the TLS listener sent.
    ///
    /// - Returns: Whether the connection goes on.
    func receivedSealed(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        guard let secure = connection.secure, let tls, !connection.isDeaf else { return true }
        guard !secure.isEstablished else {
            tls.putInput(bytes)
            noteRead(of: bytes.count, on: connection)
            return open(secure, of: connection)
        }
        guard secure.mayHandshake(with: bytes.count) else {
            return fail(connection, because: "its TLS handshake is too long")
        }
        if !secure.hasBegun {
            guard bytes[0] == tlsHandshakeRecord else { return refusePlain(bytes, on: connection) }
            guard secure.begin(tls) else { return false }
            if let oldest = handshakes.begin(connection.id),
                let connection = self.connection(at: oldest.slot), connection.id == oldest
            {
                connection.ends(because: "too many TLS handshakes")
                kill(connection)
            }
        }
        let isAlone = secure.waiting.isEmpty
        unsafe bytes.withUnsafeBufferPointer { unsafe secure.waiting.append(contentsOf: $0) }
        // Else it is in the queue already.
        guard isAlone, handshakes.mayStep(connection.id, at: milliseconds()) else { return true }
        return handshake(secure, of: connection)
    }

    /// Goes on with the handshakes for which the turn's callbacks had no time.
    func goOnWithHandshakes() {
        guard tls != nil else { return }
        while let id = handshakes.next(at: milliseconds()) {
            guard let connection = connection(at: id.slot), connection.id == id,
                let secure = connection.secure, connection.socket >= 0, !connection.isDeaf
            else { continue }
            if !handshake(secure, of: connection) { kill(connection) }
        }
        // The loop would sleep until a socket has something.
        if handshakes.endTurn() { unsafe lws_cancel_service(context) }
    }

    private func handshake(_ secure: TLSConnection, of connection: Connection) -> Bool {
        guard let tls else { return false }
        let bytes = secure.waiting
        secure.waiting = []
        tls.putInput(bytes.span)
        let step = secure.handshake()
        sendSealed(of: connection)
        switch step {
        case .waits: return true
        case .goesOn:
            counters.tlsHandshakes.add()
            handshakes.end(connection.id)
            setDeadline(of: connection, in: Limits.requestSeconds)
            return open(secure, of: connection)
        case .ended: return false
        case .failed(let reason):
            return fail(connection, because: "the TLS handshake failed: \(reason)")
        }
    }

    /// Reads all plaintext of what is in the engine's wires.
    private func open(_ secure: TLSConnection, of connection: Connection) -> Bool {
        guard let tls else { return false }
        while !connection.isDeaf {
            // Out of the engine while it is read from: what is read may cause writes.
            var buffer = tls.plaintext
            tls.plaintext = []
            defer { tls.plaintext = buffer }
            let step = secure.read(into: &buffer)
            let wasFull = !connection.unsent.isEmpty
            if sendSealed(of: connection), wasFull, !secure.mayAnswerUnasked() {
                connection.ends(because: "it asks TLS again and again, and does not read")
                return false
            }
            switch step {
            case .waits: return true
            case .goesOn(let count):
                let goesOn = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                    var bytes = unsafe buffer.extracting(..<count).mutableSpan
                    return receivedPlain(&bytes, on: connection)
                }
                guard goesOn else { return false }
            case .ended: return ended(secure, of: connection)
            case .failed(let reason):
                return fail(connection, because: "TLS failed: \(reason)")
            }
        }
        return true
    }

    /// The peer has said all; an answer under way still reaches it.
    private func ended(_ secure: TLSConnection, of connection: Connection) -> Bool {
        secure.hasEnded = true
        guard let http = connection.http else { return false }
        return http.isWriting || (http.isWaiting && connection.isAnsweredSoon)
    }

    // MARK: Out

    /// Encrypts and sends; what the socket does not take is kept as ciphertext.
    ///
    /// - Returns: Whether it took all; else `canWrite` follows.
    func putSealed(
        _ bytes: Span<UInt8>, on connection: Connection, _ secure: TLSConnection
    ) -> Bool {
        var start = 0
        // One record at a time, so that the wires stay small.
        while start < bytes.count {
            let end = min(start + TLSEngine.recordBytes, bytes.count)
            guard secure.write(bytes.extracting(start..<end)) else {
                connection.ends(because: "TLS failed")
                kill(connection)
                return false
            }
            sendSealed(of: connection)
            start = end
        }
        return connection.unsent.isEmpty
    }

    /// Says that nothing more will be sent.
    func endSealed(_ connection: Connection, _ secure: TLSConnection) {
        secure.end()
        sendSealed(of: connection)
        // It ends with what the socket took: all that matters was taken before.
        leaveUnsent(of: connection)
    }

    /// Sends what TLS has to send.
    ///
    /// - Returns: Whether there was anything.
    @discardableResult
    private func sendSealed(of connection: Connection) -> Bool {
        tls?.takeOutput { transmit($0, on: connection) } ?? false
    }

    // MARK: The end

    /// Ends a connection of which nothing can be understood, so that its peer may read why.
    private func fail(_ connection: Connection, because reason: String) -> Bool {
        connection.ends(because: reason)
        if connection.secure?.isEstablished != true { counters.tlsHandshakeFailures.add() }
        handshakes.end(connection.id)
        connection.isDeaf = true
        linger(connection)
        return true
    }

    /// Answers who speaks HTTP without TLS so that a person can read it; others hear nothing.
    private func refusePlain(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[0]) else {
            return fail(connection, because: "it does not speak TLS")
        }
        let response = HTTPResponse.error(
            400, "This address speaks TLS. The URL begins with https:// or wss://.")
        count(response)
        transmit(response.closing.encoded(omitsBody: false, for: nil).span, on: connection)
        return fail(connection, because: "it does not speak TLS")
    }
}

/// What the first byte of a TLS connection says.
///
/// - Source: RFC 8446, section 5.1.
private let tlsHandshakeRecord: UInt8 = 22
