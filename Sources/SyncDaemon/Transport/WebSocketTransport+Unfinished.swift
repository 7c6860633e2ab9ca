// What peers have begun to send and not ended: how much of it there may be.

import EventModel

extension WebSocketTransport {
    /// Counts what is kept of a request or message whose end has not come.
    ///
    /// Of one peer that is little, and it is not kept for long; but there are many peers, and they
    /// need not have shown who they are.
    func countUnfinished(of connection: Connection) {
        let count = (connection.http?.heldBytes ?? 0) + connection.frames.heldBytes
        let more = count - connection.unfinishedBytes
        guard more != 0 else { return }
        // Who ended one began the next one now.
        if connection.unfinishedBytes == 0 || more < 0 {
            connection.unfinishedSince = milliseconds()
        }
        connection.unfinishedBytes = count
        unfinishedBytes += more
        if unfinishedBytes > unfinishedBytesMax { cutLongestUnfinished() }
    }

    func forgetUnfinished(of connection: Connection) {
        unfinishedBytes -= connection.unfinishedBytes
        connection.unfinishedBytes = 0
    }

    /// Cuts off who has been sending for longest, until an eighth is free: who means what they
    /// begin ends it within moments.
    ///
    /// - Complexity: O(connections log connections), once for an eighth of all there may be.
    private func cutLongestUnfinished() {
        let begun = allConnections.lazy
            .filter { $0.unfinishedBytes > 0 }
            .sorted {
                ($0.unfinishedSince, $1.unfinishedBytes) < ($1.unfinishedSince, $0.unfinishedBytes)
            }
        for connection in begun {
            guard unfinishedBytes > unfinishedBytesMax - unfinishedBytesMax / 8 else { return }
            connection.ends(
                because: "what it sent had no end, and the memory for requests was used up")
            forgetUnfinished(of: connection)
            kill(connection)
        }
    }
}
