// Follows a server's frames just closely enough to answer pings and to see a close.

/// Where in a stream of server frames a connection is.
///
/// - Source: RFC 6455, section 5.2. A server's frames are not masked.
struct FrameWalker {
    enum Control: Equatable {
        case ping([UInt8])
        /// The close code; `nil` when the frame has none.
        case close(UInt16?)
    }

    private var header: [UInt8] = []
    private var payloadRest: UInt64 = 0
    private var controlPayload: [UInt8] = []
    private var opcode: UInt8 = 0
    /// Complete frames with data so far, for whoever cares how much is batched.
    private(set) var frameCount = 0

    /// Takes what has arrived, in any pieces.
    mutating func walk(_ bytes: UnsafeRawBufferPointer, control: (Control) -> Void) {
        var index = 0
        while index < bytes.count {
            if payloadRest > 0 {
                let count = Int(min(payloadRest, UInt64(bytes.count - index)))
                if isControl { unsafe controlPayload += bytes[index..<index + count] }
                payloadRest -= UInt64(count)
                index += count
            } else {
                unsafe header.append(bytes[index])
                index += 1
                guard readHeader() else { continue }
            }
            if payloadRest == 0 { endFrame(control) }
        }
    }

    private var isControl: Bool { opcode & 8 != 0 }

    /// - Returns: Whether the header is complete.
    private mutating func readHeader() -> Bool {
        guard header.count >= 2 else { return false }
        let short = header[1] & 127
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        guard header.count == 2 + extra else { return false }
        opcode = header[0] & 15
        payloadRest =
            extra == 0 ? UInt64(short) : header[2...].reduce(0) { $0 << 8 | UInt64($1) }
        header.removeAll(keepingCapacity: true)
        return true
    }

    private mutating func endFrame(_ control: (Control) -> Void) {
        switch opcode {
        case 8:
            let code = controlPayload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
            control(.close(controlPayload.count >= 2 ? code : nil))
        case 9: control(.ping(controlPayload))
        default: if !isControl { frameCount += 1 }
        }
        controlPayload.removeAll()
    }
}
