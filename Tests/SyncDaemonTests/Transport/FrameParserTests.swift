// What clients may send, what they may not, and that it does not matter how their bytes are cut.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("FrameParser")
struct FrameParserTests {
    /// What frames lead to in one piece; in any other pieces it must be the same.
    private func read(_ frames: [ClientFrame]) -> [ReadEvent] {
        let bytes = frames.flatMap(\.bytes)
        var parser = FrameParser()
        let events = parser.read(bytes)
        var single = FrameParser()
        let byByte = bytes.flatMap { single.read([$0]) }
        #expect(byByte == events)
        for seed in 0..<20 as Range<UInt64> {
            var choices = SeededGenerator(seed: seed)
            #expect(FrameParser.events(of: bytes, cutBy: &choices) == events, "seed \(seed)")
        }
        return events
    }

    @Test(
        "messages of any length", arguments: [0, 1, 7, 8, 9, 125, 126, 127, 4096, 32767, 32768])
    func lengths(count: Int) {
        let text = String(repeating: "a", count: count)

        #expect(
            read([ClientFrame(text: text), ClientFrame(text: "next")])
                == [.message(text), .message("next")])
    }

    @Test("a message in pieces, with control frames between them")
    func pieces() {
        let events = read([
            ClientFrame(text: "a👍".dropLastByte, isFinal: false), ClientFrame(9, [1, 2]),
            ClientFrame(0, [0x8D], isFinal: false), ClientFrame(10, [3]), ClientFrame(0),
        ])

        #expect(events == [.ping([1, 2]), .pong, .message("a👍")])
    }

    @Test("empty pieces alone, first, and last")
    func emptyPieces() {
        #expect(read([ClientFrame(1, isFinal: false), ClientFrame(0)]) == [.message("")])
        #expect(
            read([
                ClientFrame(1, isFinal: false), ClientFrame(0, [97], isFinal: false),
                ClientFrame(0),
            ]) == [.message("a")])
    }

    @Test(
        "what RFC 6455 forbids is 1002",
        arguments: [
            [ClientFrame(1, [97], isMasked: false)], [ClientFrame(9, isMasked: false)],
            [ClientFrame(0, [97])], [ClientFrame(1, [97], form: 126)],
            [ClientFrame(1, [97], isFinal: false), ClientFrame(1, [97])],
            [ClientFrame(1, [97], isFinal: false), ClientFrame(2, [97])],
            [ClientFrame(text: "a"), ClientFrame(0, [97])],
            [ClientFrame(1, [UInt8](repeating: 97, count: 126), form: 127)],
            [ClientFrame(1, length: 65535, form: 127)], [ClientFrame(1, length: 0, form: 127)],
            [ClientFrame(9, [UInt8](repeating: 1, count: 126))],
            [ClientFrame(8, [UInt8](repeating: 1, count: 126))], [ClientFrame(10, form: 127)],
            [ClientFrame(9, isFinal: false)], [ClientFrame(8, isFinal: false)],
            [ClientFrame(8, [3])],
        ])
    func broken(frames: [ClientFrame]) {
        #expect(read(frames + [ClientFrame(text: "unread")]).last == .refused(.protocolError))
    }

    @Test("reserved bits and opcodes are 1002")
    func reserved() {
        for bits in 1...7 as ClosedRange<UInt8> {
            for opcode in [0, 1, 2, 8, 9, 10] as [UInt8] {
                let frame = ClientFrame(opcode, [97], reserved: bits)
                #expect(read([frame]) == [.refused(.protocolError)])
            }
        }
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
            #expect(read([ClientFrame(opcode)]) == [.refused(.protocolError)])
        }
    }

    @Test("binary is 1003, before its payload is read")
    func binary() {
        var parser = FrameParser()
        #expect(parser.read([0x82]) == [.refused(.unsupportedData)])
        #expect(parser.read(ClientFrame(text: "unread").bytes).isEmpty)
    }

    @Test(
        "a length over the limit is 1009 before any of it comes",
        arguments: [
            UInt64(Limits.frameBytesMax) + 1, 65535, 65536, 1 << 32, 1 << 62, 1 << 63,
            (1 << 63) + 5, .max,
        ])
    func tooLong(length: UInt64) {
        let header = ClientFrame(1, length: length).bytes.dropLast(4)
        #expect(read([ClientFrame(1, length: length)]) == [.refused(.messageTooBig)])
        var parser = FrameParser()
        #expect(parser.read(Array(header)) == [.refused(.messageTooBig)])
    }

    @Test("a message over the limit is 1009 at the header of the piece that is too much")
    func tooLongTogether() {
        let most = [UInt8](repeating: 97, count: Limits.frameBytesMax)
        let events = read([ClientFrame(1, most, isFinal: false), ClientFrame(0, length: 1)])
        #expect(events == [.refused(.messageTooBig)])
        #expect(read([ClientFrame(1, most, isFinal: false), ClientFrame(0)]).count == 1)
    }

    @Test("the most pieces, and one more")
    func fragments() {
        let max = Limits.fragmentsPerMessageMax
        let first = ClientFrame(1, isFinal: false)
        let middle = [ClientFrame](repeating: ClientFrame(0, isFinal: false), count: max - 2)

        let whole = [first] + middle + [ClientFrame(0)]
        #expect(read(whole + whole) == [.message(""), .message("")])
        let endless = [first] + middle + [ClientFrame(0, isFinal: false), ClientFrame(0)]
        #expect(read(endless) == [.refused(.policyViolation)])
    }

    @Test(
        "closes with what may be said",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
            + [3000, 3999, 4000, 4999] as [UInt16])
    func closes(code: UInt16) {
        let reason = [UInt8](repeating: 97, count: 123)
        #expect(read([ClientFrame(close: code), ClientFrame(9)]) == [.close(code)])
        #expect(read([ClientFrame(close: code, reason)]) == [.close(code)])
    }

    @Test(
        "closes with what may not be said",
        arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
            as [UInt16])
    func badCloses(code: UInt16) {
        #expect(read([ClientFrame(close: code)]) == [.refused(.protocolError)])
    }

    @Test("a close without a code; one inside a message; one whose reason is not UTF-8")
    func otherCloses() {
        #expect(read([ClientFrame(8), ClientFrame(text: "unread")]) == [.close(nil)])
        #expect(
            read([ClientFrame(1, [97], isFinal: false), ClientFrame(close: 1000)])
                == [.close(1000)])
        for reason in [[0xFF], [97, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            let events = read([ClientFrame(close: 1000, reason)])
            #expect(events == [.refused(.invalidPayload)])
        }
    }

    @Test("text is refused with the first byte that no UTF-8 has there")
    func failsFast() {
        var parser = FrameParser()
        let text = ClientFrame(1, [97, 0xF4, 0x8F, 0xBF, 0xBF, 0xF4, 0x90, 97, 97]).bytes
        let certain = 6 + 7
        #expect(parser.read(Array(text[..<(certain - 1)])).isEmpty)
        #expect(parser.read([text[certain - 1]]) == [.refused(.invalidPayload)])
        #expect(read([ClientFrame(1, [97, 0xC3])]) == [.refused(.invalidPayload)])
        #expect(read([ClientFrame(1, [0xC3], isFinal: false)]).isEmpty)
        #expect(
            read([ClientFrame(1, [0xC3], isFinal: false), ClientFrame(0, [97])])
                == [.refused(.invalidPayload)])
    }

    @Test("any frames in any pieces lead to the same", arguments: 0..<100 as Range<UInt64>)
    func chance(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var frames: [ClientFrame] = []
        for _ in 0..<choices.below(30) {
            let count = choices.pick([0, 1, 5, 124, 125, 126, 127, 300, 20_000])
            let payload = (0..<count).map { _ in UInt8(choices.below(128)) }
            var frame = ClientFrame(choices.pick([0, 1, 1, 9, 10]), payload)
            frame.isFinal = choices.chance(70)
            frame.isMasked = !choices.chance(2)
            frame.mask = (0..<4).map { _ in UInt8(choices.below(256)) }
            frames.append(frame)
        }
        _ = read(frames)
    }

    @Test("noise ends in a refusal, in any pieces", arguments: 0..<100 as Range<UInt64>)
    func noise(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let bytes = (0..<400).map { _ in UInt8(choices.below(256)) }
        var parser = FrameParser()
        let events = parser.read(bytes)
        #expect(FrameParser.events(of: bytes, cutBy: &choices) == events)
    }
}

extension String {
    fileprivate var dropLastByte: [UInt8] { Array(utf8.dropLast()) }
}

extension ClientFrame {
    fileprivate init(text: [UInt8], isFinal: Bool) {
        self.init(1, text, isFinal: isFinal)
    }
}
