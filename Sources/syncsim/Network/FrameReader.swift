// A device's end of a WebSocket: bytes in, whole text messages out.

/// Puts frames together, wherever the connection cut them.
struct FrameReader {
    private var bytes: [UInt8] = []

    /// What a close frame says.
    private(set) var closeCode: UInt16?
    /// What is not a frame of this daemon's.
    private(set) var problem: String?

    /// Takes bytes as they come, and returns the messages that are complete now.
    mutating func receive(_ chunk: ArraySlice<UInt8>) -> [[UInt8]] {
        bytes += chunk
        var messages: [[UInt8]] = []
        var start = 0
        while let (opcode, payload) = frame(at: start) {
            start = payload.upperBound
            switch opcode {
            case 0x81: messages.append(Array(bytes[payload]))
            case 0x88 where payload.count >= 2:
                let low = payload.lowerBound
                closeCode = UInt16(bytes[low]) << 8 | UInt16(bytes[low + 1])
            default: problem = "a frame that starts with \(opcode)"
            }
        }
        if start > 0 { bytes.removeFirst(start) }
        return messages
    }

    /// The first byte and the place of the payload; `nil` while the frame is not complete.
    private func frame(at start: Int) -> (opcode: UInt8, payload: Range<Int>)? {
        guard bytes.count >= start + 2 else { return nil }
        var count = Int(bytes[start + 1])
        var index = start + 2
        let more = count == 126 ? 2 : count == 127 ? 8 : 0
        guard bytes.count >= index + more else { return nil }
        if more > 0 { count = bytes[index..<index + more].reduce(0) { $0 << 8 | Int($1) } }
        index += more
        guard bytes.count >= index + count else { return nil }
        return (bytes[start], index..<index + count)
    }
}
