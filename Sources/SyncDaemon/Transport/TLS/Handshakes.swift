// The TLS handshakes of one reactor: how many there are, and whose turn it is.

import Basis
import EventModel

/// Handshakes that are under way, so that they cost neither all memory nor a turn's time.
struct Handshakes {
    /// By their beginning; some of them may be over.
    private var order = Queue<SessionID>()
    private var open: Set<SessionID> = []
    /// Those that have bytes to go on with, in the order in which these came.
    private var waiting = Queue<SessionID>()
    /// When those of this turn have had their time, in milliseconds; `nil` before the first.
    private var end: UInt64?

    /// - Returns: The oldest, which has to give way, when there are too many: honest clients are
    ///   done after two round trips.
    mutating func begin(_ connection: SessionID) -> SessionID? {
        order.append(connection)
        open.insert(connection)
        guard open.count > Limits.handshakesMax else { return nil }
        while let oldest = order.popFirst() {
            if open.remove(oldest) != nil { return oldest }
        }
        return nil
    }

    /// It is complete, or its connection is gone.
    mutating func end(_ connection: SessionID) {
        open.remove(connection)
        while let oldest = order.first, !open.contains(oldest) { _ = order.popFirst() }
    }

    /// Whether a step may be taken in this turn; else it is the connection's turn in a later one.
    mutating func mayStep(_ connection: SessionID, at milliseconds: UInt64) -> Bool {
        let end = end ?? milliseconds + UInt64(Limits.handshakeMillisecondsPerTurn)
        self.end = end
        guard !waiting.isEmpty || milliseconds >= end else { return true }
        waiting.append(connection)
        return false
    }

    /// Whose turn it is, within a turn's time; at least one in each turn.
    mutating func next(at milliseconds: UInt64) -> SessionID? {
        if let end, milliseconds >= end { return nil }
        end = end ?? milliseconds + UInt64(Limits.handshakeMillisecondsPerTurn)
        return waiting.popFirst()
    }

    /// - Returns: Whether somebody waits for the next turn.
    mutating func endTurn() -> Bool {
        end = nil
        return !waiting.isEmpty
    }
}
