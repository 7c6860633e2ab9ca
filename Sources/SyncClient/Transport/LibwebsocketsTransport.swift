// The transport for Linux: libwebsockets on one thread for all clients of the process.

/// Makes connections on the process's one service thread.
public struct LibwebsocketsTransport: WebSocketTransport {
    public init() {}

    public func connect(
        to address: WebSocketAddress, subprotocol: String
    ) async throws(WebSocketClosure) -> any WebSocketConnection {
        let connection = ServiceThread.shared.open(address, subprotocol: subprotocol)
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
