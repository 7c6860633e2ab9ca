// The transport for Apple's platforms: `URLSessionWebSocketTask`.
//
// Linux compiles it for the tests only: Foundation there has the same types, and no WebSocket in
// the libcurl that Debian 12 has.

#if canImport(Darwin) || URLSESSION

import Basis
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes connections with the system's own stack, whose certificates and proxies they share.
///
/// A `ws://` address other than the machine's own needs an exception of App Transport Security in
/// the app's `Info.plist`; a `wss://` address needs nothing.
public struct URLSessionTransport: WebSocketTransport {
    public init() {}

    public func connect(
        to address: WebSocketAddress, subprotocol: String
    ) async throws(WebSocketClosure) -> any WebSocketConnection {
        guard let url = URL(string: address.description) else {
            throw WebSocketClosure(reason: "\(address) is no URL to Foundation")
        }
        let observer = URLSessionObserver()
        let session = URLSession(
            configuration: Self.configuration, delegate: observer, delegateQueue: nil)
        let task = session.webSocketTask(with: url, protocols: [subprotocol])
        task.maximumMessageSize = ClientLimits.messageBytesMax
        let connection = URLSessionConnection(task: task, session: session, observer: observer)
        task.resume()
        let deadline = Task {
            try await Task.sleep(for: .seconds(2 * ClientLimits.handshakeSeconds))
            observer.giveUp()
            connection.close(code: 1000)
        }
        defer { deadline.cancel() }
        let result = await withTaskCancellationHandler {
            await observer.opened()
        } onCancel: {
            connection.close(code: 1000)
        }
        try result.get()
        return connection
    }

    /// Nothing of one connection is left for the next one, or for other apps.
    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // Between two bytes: a quiet connection is none of its business.
        configuration.timeoutIntervalForRequest = 7 * 24 * 3600
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        return configuration
    }
}

#endif
