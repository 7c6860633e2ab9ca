// Names a connection on its reactor.

/// A connection's place in its reactor's table, with a generation that makes it unique for ever.
///
/// Never reused, so a late event about a closed connection finds nothing instead of its successor.
struct SessionID: Hashable, Sendable, CustomStringConvertible {
    let slot: UInt32
    let generation: UInt32

    var description: String { "\(slot)-\(generation)" }
}
