// What a WebSocket client sends.

import Basis
import EventModel

@testable import SyncDaemon

/// However the bytes are cut, they are the same messages; and a text in frames is that text.
enum FrameFuzz {
    private enum Happening: Hashable {
        case message([UInt8])
        case ping([UInt8])
        case pong
        case close(UInt16?)
        case refused(CloseReason)
    }

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var choices = bytes.choices
        let whole = try happenings([bytes])
        let cut = try happenings(bytes.pieces(&choices))
        try expect(whole == cut, "whole: \(whole); in pieces: \(cut)")
        guard String(validating: bytes, as: UTF8.self) != nil else { return }
        let framed = frames(of: bytes, &choices)
        let read = try happenings(framed.bytes.pieces(&choices))
        try expect(
            read == framed.pings.map { .ping($0) } + [.message(bytes)], "\(bytes) came as \(read)")
    }

    private static func happenings(_ pieces: [[UInt8]]) throws(Finding) -> [Happening] {
        var parser = FrameParser()
        var happenings: [Happening] = []
        for piece in pieces {
            var piece = piece
            var span = piece.mutableSpan
            var index = 0
            while let event = parser.next(in: &span, from: &index) {
                switch event {
                case .message(let range): happenings.append(.message(range.map { span[$0] }))
                case .assembledMessage: happenings.append(.message(parser.takeMessage()))
                case .ping(let payload): happenings.append(.ping(payload))
                case .pong: happenings.append(.pong)
                case .close(let code): happenings.append(.close(code))
                case .refused(let reason): happenings.append(.refused(reason))
                }
            }
            try expect(index == span.count, "\(span.count - index) bytes were left")
        }
        for case .message(let message) in happenings {
            try expect(
                String(validating: message, as: UTF8.self) != nil, "\(message) is not UTF-8")
            try expect(message.count <= Limits.frameBytesMax, "a message of \(message.count) bytes")
        }
        for case .refused(let reason) in happenings {
            try expect(reason.fits, "no frame has room for: \(reason.text)")
        }
        return happenings
    }

    /// The text in up to four fragments, with pings between them.
    private static func frames(
        of text: [UInt8], _ choices: inout SeededGenerator
    ) -> (bytes: [UInt8], pings: [[UInt8]]) {
        let cuts = (0..<choices.below(4)).map { _ in choices.below(text.count + 1) }.sorted()
        var bytes: [UInt8] = []
        var pings: [[UInt8]] = []
        var start = 0
        for (number, end) in (cuts + [text.count]).enumerated() {
            let opcode: UInt8 = (number == 0 ? 1 : 0) | (number == cuts.count ? 0x80 : 0)
            bytes += frame(opcode, Array(text[start..<end]), &choices)
            start = end
            if number < cuts.count, choices.chance(30) {
                pings.append([UInt8(number)])
                bytes += frame(0x89, [UInt8(number)], &choices)
            }
        }
        return (bytes, pings)
    }

    private static func frame(
        _ first: UInt8, _ payload: [UInt8], _ choices: inout SeededGenerator
    ) -> [UInt8] {
        let mask = (0..<4).map { _ in UInt8(choices.below(256)) }
        let count = payload.count
        var bytes = [first]
        if count < 126 {
            bytes.append(0x80 | UInt8(count))
        } else {
            bytes += [0x80 | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
        bytes += mask
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index % 4]) }
        return bytes
    }
}
