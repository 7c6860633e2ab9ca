// The one thread that calls libwebsockets, and how other threads ask it for something.
//
// All connections of a process share it: hundreds of clients cost one thread. It starts with the
// first connection and lives as long as the process.

#if os(Linux)

import Basis
import CWebsockets
import Glibc

/// Names a connection for the life of the process; never reused, so a late event hits nothing.
struct SocketID: Hashable, Sendable {
    let rawValue: UInt
}

/// What a task may ask of the service thread.
enum SocketRequest: Sendable {
    case open(SocketConnection)
    case write(SocketID)
    case read(SocketID)
    case close(SocketID)
}

/// The door to the service thread.
final class ServiceThread: Sendable {
    private struct Inbox {
        var requests: [SocketRequest] = []
        var lastID: UInt = 0
        var waker: Waker?
        var hasFailed = false
    }

    static let shared = ServiceThread()

    private let inbox = Locked(Inbox())

    private init() {
        _ = OSThread(name: "sync-sockets") { [inbox] in
            guard let loop = SocketLoop() else {
                let waiting = inbox.withLock { inbox in
                    inbox.hasFailed = true
                    return inbox.requests
                }
                for request in waiting { request.fail() }
                return
            }
            inbox.withLock { $0.waker = loop.waker }
            var batch: [SocketRequest] = []
            while true {
                batch.removeAll(keepingCapacity: true)
                inbox.withLock { swap(&$0.requests, &batch) }
                for request in batch { loop.handle(request) }
                loop.serviceOnce()
            }
        }
    }

    /// Starts to connect.
    func open(
        _ address: WebSocketAddress, subprotocol: String, trust: Trust
    ) -> SocketConnection {
        let id = inbox.withLock { inbox in
            inbox.lastID += 1
            return SocketID(rawValue: inbox.lastID)
        }
        let connection = SocketConnection(
            id: id, address: address, subprotocol: subprotocol, trust: trust
        ) {
            self.post($0)
        }
        post(.open(connection))
        return connection
    }

    private func post(_ request: SocketRequest) {
        let hasFailed = inbox.withLock { inbox in
            if inbox.hasFailed { return true }
            inbox.requests.append(request)
            if inbox.requests.count == 1 { inbox.waker?.wake() }
            return false
        }
        if hasFailed { request.fail() }
    }
}

extension SocketRequest {
    /// Answers for a service thread that could not start.
    fileprivate func fail() {
        guard case .open(let connection) = self else { return }
        connection.didEnd(
            WebSocketClosure(
                reason: "libwebsockets refused to start; raise the descriptor limit (ulimit -n)"))
    }
}

/// Interrupts the service thread's waiting.
///
/// `@unchecked`: `lws_cancel_service` is the one call that lws documents as safe from any thread,
/// and the context is never destroyed.
@safe struct Waker: @unchecked Sendable {
    private let context: OpaquePointer

    init(_ context: OpaquePointer) {
        unsafe self.context = unsafe context
    }

    func wake() {
        unsafe lws_cancel_service(context)
    }
}

#endif
