// Connections to receivers between two requests, and those that are no good any more.

import EventModel
import Glibc

/// The sockets of connections that are kept for the next request, by their local ports.
///
/// One that libcurl closed may still be here: then a connection too many is made, at worst.
final class KeptConnections {
    private var sockets: [Int32: Int32] = [:]

    /// Notes the connection of a transfer that has ended.
    ///
    /// - Parameter socket: -1: it is not kept.
    func note(_ socket: Int32, at port: Int32) {
        guard socket >= 0 else { return }
        if sockets.count >= 2 * Limits.webhookConnectionsKept { sockets = [:] }
        sockets[port] = socket
    }

    /// Whether a connection that is to be used again has something to say: its peer answered twice.
    func hasAnswer(at port: Int32) -> Bool {
        guard let socket = sockets.removeValue(forKey: port) else { return false }
        var found = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&found, 1, 0) > 0
    }
}

/// What is looked at before a request is sent; libcurl 7.88 takes what comes first for its answer.
final class Preflight {
    private let kept: KeptConnections
    var foundAnswer = false

    init(_ kept: KeptConnections) { self.kept = kept }

    func check(_ port: Int32) -> Bool {
        foundAnswer = kept.hasAnswer(at: port)
        return !foundAnswer
    }
}

/// CURLOPT_PREREQFUNCTION(3): anything but 0 has it not sent, and the connection closed.
let checkingConnection:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?,
        Int32, Int32
    ) -> Int32 = { context, _, _, _, localPort in
        guard let context = unsafe context else { return 1 }
        let preflight = unsafe Unmanaged<Preflight>.fromOpaque(context).takeUnretainedValue()
        return preflight.check(localPort) ? 0 : 1
    }
