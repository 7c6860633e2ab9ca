// Connections from proxies: for whom they are, before a byte of them is read.

import EventModel

extension WebSocketTransport {
    /// Takes what a proxy sent, until it has said for whom it connects.
    ///
    /// - Returns: Whether the connection goes on.
    func readProxyHeader(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        var head = connection.proxyHeader ?? []
        unsafe bytes.withUnsafeBufferPointer { unsafe head.append(contentsOf: $0) }
        switch ProxyHeader.parse(head) {
        case .incomplete:
            connection.proxyHeader = head
            return true
        case .refused(let reason):
            return refuseProxy(connection, because: reason)
        case .complete(let header, let byteCount):
            guard take(header, of: connection) else { return false }
            setDeadline(of: connection, in: firstSeconds(of: connection))
            guard byteCount < head.count else { return true }
            var rest = Array(head[byteCount...])
            var span = rest.mutableSpan
            return received(&span, on: connection)
        }
    }

    /// From the beginning of what a client sends to its first request, or to the end of its
    /// handshake.
    func firstSeconds(of connection: Connection) -> Int {
        connection.secure == nil ? Limits.requestSeconds : Limits.handshakeSeconds
    }

    /// Counts the connection for its client from now on, if that one may have another.
    private func take(_ header: ProxyHeader, of connection: Connection) -> Bool {
        let proxy = connection.address
        if case .client(let address) = header { connection.address = address }
        guard admission.claim(connection.address) else {
            counters.connectionsShed.add()
            connection.ends(because: "too many connections from \(connection.address)")
            return false
        }
        connection.proxyHeader = nil
        log?.debug(
            "Connection is for a client.",
            [
                "connection": "\(reactor)-\(connection.id)", "peer": connection.address,
                "proxy": proxy,
            ])
        return true
    }

    private func refuseProxy(_ connection: Connection, because reason: String) -> Bool {
        log?.warning(
            "A connection from an address in proxy_protocol_from is refused.",
            ["peer": connection.address, "reason": reason])
        connection.ends(because: reason)
        // Without its header nobody knows who reads the answer, and below TLS nobody could.
        guard connection.secure == nil else { return false }
        let response = HTTPResponse.error(
            400, "Connections from this address begin with a PROXY header, version 1 or 2.")
        count(response)
        transmit(response.closing.encoded(omitsBody: false, for: nil).span, on: connection)
        connection.isDeaf = true
        linger(connection)
        return true
    }
}
