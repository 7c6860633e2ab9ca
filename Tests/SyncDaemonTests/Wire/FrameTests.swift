// Frames as another program reads them: by a parser that shares nothing with the writer.

import Basis
import Testing

@testable import SyncDaemon

/// What a frame's header says; nil when the bytes are not exactly one whole frame.
private func payload(of frame: [UInt8]) -> [UInt8]? {
    // RFC 6455, section 5.2: FIN and opcode 1, no mask, then 7, 16 or 64 bits of length.
    guard frame.count >= 2, frame[0] == 0b1000_0001, frame[1] & 0x80 == 0 else { return nil }
    let extra = [126: 2, 127: 8][frame[1]] ?? 0
    guard frame.count >= 2 + extra else { return nil }
    var length = extra == 0 ? Int(frame[1]) : 0
    for byte in frame[2..<(2 + extra)] { length = length * 256 + Int(byte) }
    // The shortest form must be used.
    guard extra == 0 || length >= (extra == 2 ? 126 : 65536) else { return nil }
    let rest = Array(frame[(2 + extra)...])
    return rest.count == length ? rest : nil
}

@Suite("Frame")
struct FrameTests {
    @Test(
        "the header has the shortest length, and the payload follows unchanged",
        arguments: [
            (0, 2), (1, 2), (125, 2), (126, 4), (127, 4), (255, 4), (256, 4), (65535, 4),
            (65536, 10), (70_001, 10),
        ])
    func lengths(count: Int, header: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let text = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }

        let frame = Frame(text: text)

        #expect(frame.bytes.count == header + count)
        #expect(payload(of: frame.bytes) == text)
    }
}

@Suite("ControlFrame")
struct ControlFrameTests {
    @Test("pings, pongs and closes", arguments: [0, 1, 125])
    func control(count: Int) {
        let payload = [UInt8](repeating: 7, count: count)

        #expect(ControlFrame.ping(payload) == [0x89, UInt8(count)] + payload)
        #expect(ControlFrame.pong(payload) == [0x8A, UInt8(count)] + payload)
        #expect(ControlFrame.close(nil) == [0x88, 0])
        #expect(ControlFrame.close(4321, reason: [1]) == [0x88, 3, 0x10, 0xE1, 1])
    }
}
