// One WebSocket frame as the bytes that go to the kernel: built once, shared by every subscriber.

/// A finished text frame, header included.
///
/// Immutable. Copies share the bytes, so a frame in a thousand queues is one allocation.
struct Frame: Sendable {
    let bytes: [UInt8]

    /// - Source: RFC 6455, section 5.2: final, text, unmasked, with the shortest length.
    init(text payload: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        bytes.append(0x81)
        switch payload.count {
        case ..<126:
            bytes.append(UInt8(payload.count))
        case ..<65536:
            bytes.append(126)
            bytes.append(UInt8(payload.count >> 8))
            bytes.append(UInt8(payload.count & 0xFF))
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes.append(contentsOf: payload)
        self.bytes = bytes
    }
}
