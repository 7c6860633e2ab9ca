// The transport for Linux: libwebsockets on one thread for all clients of the process.

#if os(Linux)

/// Makes connections on the process's one service thread.
///
/// A `wss://` connection is made only to a host that proves its name by a certificate; there is no
/// way round that.
public struct LibwebsocketsTransport: WebSocketTransport {
    private let caFile: String?

    /// - Parameter caFile: Certificates (PEM) of the authorities to trust, in place of the
    ///   system's.
    public init(caFile: String? = nil) {
        self.caFile = caFile
    }

    public func connect(
        to address: WebSocketAddress, subprotocol: String
    ) async throws(WebSocketClosure) -> any WebSocketConnection {
        let trust: Trust =
            address.isSecure ? caFile.map { .authorities(file: $0) } ?? .system : .nobody
        let connection = ServiceThread.shared.open(
            address, subprotocol: subprotocol, trust: trust)
        let result = await withTaskCancellationHandler {
            () async -> Result<Void, WebSocketClosure> in
            do throws(WebSocketClosure) {
                return .success(try await connection.opened())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            connection.close(code: 1000)
        }
        try result.get()
        return connection
    }
}

#endif
