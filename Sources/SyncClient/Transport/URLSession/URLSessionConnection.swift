// One connection over URLSession as the tasks of a client see it.

#if canImport(Darwin) || URLSESSION

import Basis
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends one message at a time, so that they keep their order, and pulls what comes.
final class URLSessionConnection: WebSocketConnection {
    private struct Outgoing: Sendable {
        var waiting = Queue<[UInt8]>()
        var isSending = false
        var isClosed = false
    }

    private let task: URLSessionWebSocketTask
    private let session: URLSession
    private let observer: URLSessionObserver
    private let outgoing = Locked(Outgoing())

    init(task: URLSessionWebSocketTask, session: URLSession, observer: URLSessionObserver) {
        self.task = task
        self.session = session
        self.observer = observer
    }

    /// A session keeps its delegate until it is told that nothing will come any more.
    deinit {
        session.invalidateAndCancel()
    }

    func send(_ text: [UInt8]) {
        let isFirst = outgoing.withLock { outgoing in
            guard !outgoing.isClosed else { return false }
            outgoing.waiting.append(text)
            if outgoing.isSending { return false }
            outgoing.isSending = true
            return true
        }
        if isFirst { sendNext() }
    }

    private func sendNext() {
        let next = outgoing.withLock { outgoing in
            let next = outgoing.waiting.popFirst()
            outgoing.isSending = next != nil
            return next
        }
        guard let next else { return }
        task.send(.string(String(decoding: next, as: UTF8.self))) { [weak self] error in
            // The end of the connection is `receive`'s to tell.
            if error == nil { self?.sendNext() }
        }
    }

    func receive() async throws(WebSocketClosure) -> [UInt8] {
        let message: URLSessionWebSocketTask.Message
        do {
            message = try await task.receive()
        } catch {
            throw closure(error)
        }
        guard case .string(let text) = message else {
            close(code: 1003)
            throw WebSocketClosure(reason: "a binary message came")
        }
        return Array(text.utf8)
    }

    private func closure(_ error: any Error) -> WebSocketClosure {
        if task.closeCode != .invalid {
            return WebSocketClosure(code: task.closeCode, reason: task.closeReason)
        }
        return observer.closure ?? WebSocketClosure(error)
    }

    func close(code: UInt16) {
        let isFirst = outgoing.withLock { outgoing in
            defer { outgoing.isClosed = true }
            outgoing.waiting.removeAll()
            return !outgoing.isClosed
        }
        guard isFirst else { return }
        task.cancel(
            with: URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure,
            reason: nil)
    }
}

#endif
