// WebSocket frames as the bytes that go to the kernel: built once, shared by every subscriber.

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

/// The frames that speak of the connection itself.
///
/// - Source: RFC 6455, section 5.5.
enum ControlFrame {
    /// More makes no control frame.
    static let payloadBytesMax = 125

    static func ping(_ payload: [UInt8]) -> [UInt8] { bytes(0x89, payload) }

    static func pong(_ payload: [UInt8]) -> [UInt8] { bytes(0x8A, payload) }

    /// - Parameter code: `nil` for a close that names none.
    static func close(_ code: UInt16?, reason: [UInt8] = []) -> [UInt8] {
        guard let code else { return bytes(0x88, []) }
        return bytes(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    private static func bytes(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        precondition(payload.count <= payloadBytesMax, "A control frame is short.")
        return [first, UInt8(payload.count)] + payload
    }
}
