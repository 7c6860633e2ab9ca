// How other threads reach the acceptor, which sleeps in poll(2): bytes in a pipe.

import CLinux
import Glibc

/// Stops the acceptor, or has it show that it runs.
final class AcceptorControl: Sendable {
    /// What a byte in the pipe asks for.
    enum Order: UInt8 {
        case beat
        case stop
    }

    let heartbeat = Heartbeat()
    private let readEnd: FileDescriptor
    private let writeEnd: FileDescriptor

    init() {
        var ends: [Int32] = [0, 0]
        let flags = Int32(O_CLOEXEC) | Int32(O_NONBLOCK)
        let status = unsafe sync_pipe(&ends, flags)
        precondition(status == 0, "pipe2 failed: out of descriptors at start.")
        readEnd = FileDescriptor(owning: ends[0])
        writeEnd = FileDescriptor(owning: ends[1])
    }

    /// Has the acceptor end.
    ///
    /// What waits in the socket's queue then stays there, for the next daemon.
    func stop() { send(.stop) }

    /// Asks the acceptor to beat once.
    func requestHeartbeat() { send(.beat) }

    /// Becomes readable with an order.
    var descriptor: Int32 { readEnd.rawValue }

    /// Takes what was ordered.
    ///
    /// - Returns: Whether the acceptor goes on.
    func obey() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(readEnd.rawValue, &bytes, bytes.count)
        heartbeat.beat()
        return !bytes.prefix(max(0, count)).contains(Order.stop.rawValue)
    }

    private func send(_ order: Order) {
        var byte = order.rawValue
        // A full pipe has enough beats in it; and it has been emptied long before a stop.
        _ = unsafe write(writeEnd.rawValue, &byte, 1)
    }
}
