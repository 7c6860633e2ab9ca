// Frames as a client sends them, right or wrong, and what a parser makes of them.

import Basis
import EventModel

@testable import SyncDaemon

/// One frame of a client.
struct ClientFrame {
    var opcode: UInt8
    var payload: [UInt8]
    var isFinal = true
    var reserved: UInt8 = 0
    var isMasked = true
    var mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    /// What it claims to be long; and 126 or 127 for a longer form than needed.
    var length: UInt64?
    var form: UInt8?

    init(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0,
        isMasked: Bool = true, length: UInt64? = nil, form: UInt8? = nil
    ) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reserved = reserved
        self.isMasked = isMasked
        self.length = length
        self.form = form
    }

    init(text: String, isFinal: Bool = true) {
        self.init(1, Array(text.utf8), isFinal: isFinal)
    }

    init(close code: UInt16, _ reason: [UInt8] = []) {
        self.init(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    var bytes: [UInt8] {
        let length = length ?? UInt64(payload.count)
        let form = form ?? (length < 126 ? UInt8(length) : length < 65536 ? 126 : 127)
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode, (isMasked ? 0x80 : 0) | form]
        let width = form == 127 ? 8 : form == 126 ? 2 : 0
        for index in 0..<width { bytes.append(UInt8(length >> (8 * (width - 1 - index)) & 0xFF)) }
        guard isMasked else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }
}

/// What a peer's bytes led to, messages as texts.
enum ReadEvent: Hashable {
    case message(String)
    case ping([UInt8])
    case pong
    case close(UInt16?)
    case refused(CloseCode)
}

extension FrameParser {
    /// All that the bytes lead to.
    mutating func read(_ piece: [UInt8]) -> [ReadEvent] {
        var bytes = piece
        var span = bytes.mutableSpan
        var index = 0
        var events: [ReadEvent] = []
        while let event = next(in: &span, from: &index) {
            switch event {
            case .message(let range):
                let message = range.map { span[$0] }
                events.append(.message(String(decoding: message, as: UTF8.self)))
            case .assembledMessage:
                events.append(.message(String(decoding: takeMessage(), as: UTF8.self)))
            case .ping(let payload): events.append(.ping(payload))
            case .pong: events.append(.pong)
            case .close(let code): events.append(.close(code))
            case .refused(let reason): events.append(.refused(reason.code))
            }
        }
        precondition(index == bytes.count, "All bytes are taken.")
        return events
    }

    /// The same, in pieces as chance cuts them.
    static func events(of bytes: [UInt8], cutBy choices: inout SeededGenerator) -> [ReadEvent] {
        var parser = FrameParser()
        var events: [ReadEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let most = choices.chance(50) ? 3 : rest.count
            let count = 1 + choices.below(min(most, rest.count))
            events += parser.read(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return events
    }
}
