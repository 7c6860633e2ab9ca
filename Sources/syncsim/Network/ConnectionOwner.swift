// Whoever is at the other end of a connection to the daemon.

/// A client, as its connection sees it.
protocol ConnectionOwner: AnyObject {
    /// It reads nothing now.
    var isBusy: Bool { get }
    /// The network does not reach it before.
    var partitionedUntil: UInt64 { get }

    func receive(_ message: [UInt8])
    func disconnected(from connection: Connection, code: UInt16?)
}

extension SimulatedDevice: ConnectionOwner {}
