// How much of a busy WebSocket one turn reads.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Reading on")
struct ReadingTests {
    @Test("a socket that had more than one turn may read is read on in later turns, too")
    func staysBusy() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()

        // Frames that fill the read buffer, masked with zeros.
        let bytes = WebSocketTransport.readBytes - 8
        let count = 8 * Limits.readBytesPerTurnMax / WebSocketTransport.readBytes
        let header = [0x81, 0xFE, UInt8(bytes >> 8), UInt8(bytes & 0xFF), 0, 0, 0, 0]
        let frame = header + [UInt8](repeating: UInt8(ascii: "a"), count: bytes)
        peer.send([[UInt8]](repeating: frame, count: count).flatMap(\.self))
        var turns = 0
        let hasAll = bench.run {
            let before = bench.messageCount
            bench.transport?.readOn()
            if bench.messageCount > before { turns += 1 }
            return bench.messageCount == count
        }
        #expect(hasAll)
        // One for each limit's worth, and a few for what came in pieces.
        #expect(turns >= 4 && turns < 16)
    }
}
