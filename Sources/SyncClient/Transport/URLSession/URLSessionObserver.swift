// What URLSession tells of one connection: that it opened, and how it ended.

#if canImport(Darwin) || URLSESSION

import Basis
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of one connection's session; URLSession calls it on a queue of its own.
final class URLSessionObserver: NSObject, URLSessionWebSocketDelegate {
    private typealias Opener = CheckedContinuation<Result<Void, WebSocketClosure>, Never>

    private struct State: Sendable {
        /// How the handshake came out, once that is known.
        var outcome: Result<Void, WebSocketClosure>?
        var opener: Opener?
        var closure: WebSocketClosure?
    }

    private let state = Locked(State())

    /// How the connection ended, as far as the other side or the system has said.
    var closure: WebSocketClosure? { state.withLock { $0.closure } }

    /// Waits for the end of the handshake; one task, once.
    func opened() async -> Result<Void, WebSocketClosure> {
        await withCheckedContinuation { (continuation: Opener) in
            let known = state.withLock { state in
                if state.outcome == nil { state.opener = continuation }
                return state.outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func settle(_ outcome: Result<Void, WebSocketClosure>) {
        let opener = state.withLock { state -> Opener? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.opener = nil }
            return state.opener
        }
        opener?.resume(returning: outcome)
    }

    private func end(_ closure: WebSocketClosure) {
        let first = state.withLock { state in
            if state.closure == nil { state.closure = closure }
            return state.closure ?? closure
        }
        settle(.failure(first))
    }

    /// The handshake has taken too long.
    func giveUp() {
        settle(.failure(WebSocketClosure(reason: "the handshake was not finished")))
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol subprotocol: String?
    ) {
        settle(.success(()))
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        end(WebSocketClosure(code: code, reason: reason))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        end(WebSocketClosure(error))
        session.finishTasksAndInvalidate()
    }

    /// A WebSocket that is somewhere else is not the one that was asked for.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

#endif
