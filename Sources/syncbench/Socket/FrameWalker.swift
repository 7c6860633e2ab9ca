// Follows a server's frames just closely enough to answer pings and to see a close, or takes their
// text out of them.

/// Where in a stream of server frames a connection is.
///
/// - Source: RFC 6455, section 5.2. A server's frames are not masked.
struct FrameWalker {
    enum Control: Equatable {
        /// A complete message, for those who want them.
        case message([UInt8])
        case ping([UInt8])
        /// The close code; `nil` when the frame has none.
        case close(UInt16?)
    }

    private var header: [UInt8] = []
    private var payloadRest: UInt64 = 0
    private var controlPayload: [UInt8] = []
    private var messagePayload: [UInt8] = []
    private var opcode: UInt8 = 0
    private var isLast = true
    private let keepsMessages: Bool
    /// Complete frames with data so far, for whoever cares how much is batched.
    private(set) var frameCount = 0

    /// - Parameter keepsMessages: Whether the server's messages are wanted.
    init(keepsMessages: Bool = false) {
        self.keepsMessages = keepsMessages
    }

    /// Takes what has arrived, in any pieces.
    mutating func walk(_ bytes: UnsafeRawBufferPointer, control: (Control) -> Void) {
        var index = 0
        while index < bytes.count {
            if payloadRest > 0 {
                let count = Int(min(payloadRest, UInt64(bytes.count - index)))
                if isControl {
                    unsafe controlPayload += bytes[index..<index + count]
                } else if keepsMessages {
                    unsafe messagePayload += bytes[index..<index + count]
                }
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
        isLast = header[0] & 128 != 0
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
        default: if !isControl { endDataFrame(control) }
        }
        controlPayload.removeAll()
    }

    private mutating func endDataFrame(_ control: (Control) -> Void) {
        frameCount += 1
        guard keepsMessages, isLast else { return }
        control(.message(messagePayload))
        messagePayload = []
    }
}
