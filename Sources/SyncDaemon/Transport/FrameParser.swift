// Reads the frames of a WebSocket client from bytes as they come, and their messages. No sockets.
//
// Ours, because libwebsockets 4.1.6 takes frames that are not masked, lengths that are not minimal
// and any number of fragments, and hangs up without a word on others.

import EventModel

/// What one client has sent of its present frame, and of its present message.
///
/// A message that stands whole in one read costs no copy.
///
/// - Source: RFC 6455, sections 5.2 to 5.5, and 8.1.
struct FrameParser {
    enum Event: Equatable {
        /// A whole text message: these bytes of those that were passed, unmasked.
        case message(Range<Int>)
        /// A whole text message that came in pieces: ``takeMessage()``.
        case assembledMessage
        case ping([UInt8])
        case pong
        /// The client closes, with this code if it named one; nothing after it is read.
        case close(UInt16?)
        /// The client breaks a rule; nothing after it is read.
        case refused(CloseReason)
    }

    private enum Phase {
        case first
        case second
        case length(bytesLeft: UInt8)
        case mask(bytesLeft: UInt8)
        case payload
        case ended
    }

    private var phase = Phase.first
    private var opcode: UInt8 = 0
    private var isFinal = false
    private var lengthForm: UInt8 = 0
    /// Bytes of the payload that are to come.
    private var rest: UInt64 = 0
    /// The first byte's mask in the lowest byte; turned as payload is read.
    private var mask: UInt32 = 0

    /// Whether a message has begun that its last frame did not end.
    private var isInMessage = false
    private var frameCount = 0
    private var message: [UInt8] = []
    private var text = TextCheck()
    private var control: [UInt8] = []

    /// Reads on, up to the next thing to do; `nil` when all bytes are taken.
    ///
    /// - Parameters:
    ///   - bytes: What was read; payload in it is unmasked where it stands.
    ///   - index: The first byte that was not taken yet.
    mutating func next(in bytes: inout MutableSpan<UInt8>, from index: inout Int) -> Event? {
        while true {
            if case .ended = phase {
                index = bytes.count
                return nil
            }
            if case .payload = phase {
                if let event = readPayload(in: &bytes, from: &index) { return event }
                if case .payload = phase { return nil }
                continue
            }
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            if let refusal = readHeader(byte) {
                phase = .ended
                message = []
                return refusal
            }
        }
    }

    /// Bytes of a message that are kept here.
    var heldBytes: Int { message.count }

    /// The message that ``Event/assembledMessage`` told of.
    mutating func takeMessage() -> [UInt8] {
        defer { message = [] }
        return message
    }

    // MARK: Headers

    /// Takes a byte of a header; refuses as soon as it is certain.
    private mutating func readHeader(_ byte: UInt8) -> Event? {
        switch phase {
        case .first:
            isFinal = byte & 0x80 != 0
            opcode = byte & 0x0F
            phase = .second
            return refusal(ofReserved: byte & 0x70) ?? refusalOfOpcode
        case .second:
            guard byte & 0x80 != 0 else { return broken("Mask your frames.") }
            lengthForm = byte & 0x7F
            guard lengthForm < 126 || !isControl else {
                return broken("A control frame has at most 125 bytes.")
            }
            rest = lengthForm < 126 ? UInt64(lengthForm) : 0
            phase =
                lengthForm < 126
                ? .mask(bytesLeft: 4) : .length(bytesLeft: lengthForm == 126 ? 2 : 8)
            return lengthForm < 126 ? checkLength() : nil
        case .length(let left):
            rest = rest << 8 | UInt64(byte)
            phase = left > 1 ? .length(bytesLeft: left - 1) : .mask(bytesLeft: 4)
            return left > 1 ? nil : checkLength()
        case .mask(let left):
            mask = mask >> 8 | UInt32(byte) << 24
            phase = left > 1 ? .mask(bytesLeft: left - 1) : .payload
            return nil
        case .payload, .ended:
            preconditionFailure("A header has ended.")
        }
    }

    private var isControl: Bool { opcode & 0x8 != 0 }

    private func refusal(ofReserved bits: UInt8) -> Event? {
        bits == 0 ? nil : broken("No extension was agreed on: leave the reserved bits 0.")
    }

    private var refusalOfOpcode: Event? {
        switch opcode {
        case 0:
            return isInMessage ? nil : broken("There is no message to continue.")
        case 1, 2:
            guard !isInMessage else { return broken("The message before it has not ended.") }
            return opcode == 1
                ? nil : .refused(.binary)
        case 8, 9, 10:
            return isFinal ? nil : broken("A control frame comes in one piece.")
        default:
            return broken("There is no frame with opcode \(opcode).")
        }
    }

    /// Looks at a length before anything of that size is waited for.
    private mutating func checkLength() -> Event? {
        let isShortest =
            switch lengthForm {
            case 126: rest >= 126
            case 127: rest >= 65536
            default: true
            }
        guard isShortest else { return broken("Write a length in the fewest bytes.") }
        guard !isControl else { return nil }
        // The claim may be up to 2^64: compare without adding to it.
        guard rest <= UInt64(Limits.frameBytesMax - message.count) else {
            return .refused(.messageTooLong)
        }
        frameCount = opcode == 0 ? frameCount + 1 : 1
        guard frameCount <= Limits.fragmentsPerMessageMax else {
            return .refused(.tooManyFragments)
        }
        isInMessage = true
        return nil
    }

    private func broken(_ text: String) -> Event { .refused(.broken(text)) }

    // MARK: Payload

    private mutating func readPayload(
        in bytes: inout MutableSpan<UInt8>, from index: inout Int
    ) -> Event? {
        let count = Int(min(rest, UInt64(bytes.count - index)))
        let range = index..<(index + count)
        index += count
        rest -= UInt64(count)
        mask = unmask(&bytes, range, with: mask)
        let isWhole = rest == 0
        if isWhole { phase = .first }
        let event =
            isControl
            ? readControl(bytes.span.extracting(range), isWhole: isWhole)
            : readData(bytes.span.extracting(range), at: range, isWhole: isWhole)
        switch event {
        case .refused, .close:
            phase = .ended
            message = []
        default: break
        }
        return event
    }

    private mutating func readData(
        _ piece: Span<UInt8>, at range: Range<Int>, isWhole: Bool
    ) -> Event? {
        let endsMessage = isWhole && isFinal
        guard text.accepts(piece), text.isComplete || !endsMessage else {
            return .refused(.notText)
        }
        guard endsMessage else {
            message.append(copying: piece)
            return nil
        }
        isInMessage = false
        guard !message.isEmpty else { return .message(range) }
        message.append(copying: piece)
        return .assembledMessage
    }

    private mutating func readControl(_ piece: Span<UInt8>, isWhole: Bool) -> Event? {
        control.append(copying: piece)
        guard isWhole else { return nil }
        let payload = control
        control = []
        switch opcode {
        case 9: return .ping(payload)
        case 10: return .pong
        default: return close(payload)
        }
    }

    /// - Source: RFC 6455, sections 5.5.1 and 7.4, and IANA's registry of close codes.
    private func close(_ payload: [UInt8]) -> Event {
        guard !payload.isEmpty else { return .close(nil) }
        guard payload.count > 1 else { return broken("A close code has two bytes.") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: return broken("No client may close with the code \(code).")
        }
        var reason = TextCheck()
        guard reason.accepts(payload.span.extracting(2...)), reason.isComplete else {
            return .refused(.reasonNotText)
        }
        return .close(code)
    }
}

extension [UInt8] {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// Takes a mask off, eight bytes at a time.
///
/// - Returns: The mask as the byte behind them needs it.
private func unmask(
    _ bytes: inout MutableSpan<UInt8>, _ range: Range<Int>, with mask: UInt32
) -> UInt32 {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        var mask = mask
        var index = range.lowerBound
        let wide = UInt64(littleEndian: UInt64(mask) << 32 | UInt64(mask))
        while index + 8 <= range.upperBound {
            let word = unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            unsafe buffer.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < range.upperBound {
            unsafe buffer[index] ^= UInt8(truncatingIfNeeded: mask)
            mask = mask >> 8 | mask << 24
            index += 1
        }
        return mask
    }
}
