// Frames to servers, frames from servers, and the marks in them.

import Basis
import JSON
import Testing

@testable import syncbench

@Suite("Frames of the load tool")
struct FrameTests {
    private func markers(_ pieces: [[UInt8]]) -> [UInt64] {
        var found: [UInt64] = []
        var tail: [UInt8] = []
        for piece in pieces {
            let bytes = tail + piece
            let kept = bytes.withUnsafeBytes { Marker.scan($0) { found.append($0) } }
            tail = Array(bytes.suffix(kept))
        }
        return found
    }

    /// The text of a client's frame.
    private func text(of frame: [UInt8]) -> String {
        String(decoding: frame[(frame[1] & 127 == 126 ? 8 : 6)...], as: UTF8.self)
    }

    @Test("marks are found wherever the stream is cut, and look-alikes are not")
    func cuts() {
        var mark = Array(Marker.text.utf8)
        Marker.write(0x0123_4567_89AB_CDEF, to: &mark, at: 0)
        let text = Array("@@T12 @Txyz @ ".utf8) + mark + mark + Array("@T0123456789abcdeX@".utf8)

        for cut in 0...text.count {
            let found = markers([Array(text[..<cut]), Array(text[cut...])])
            #expect(found == [0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF])
        }
        #expect(markers(text.map { [$0] }) == [0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF])
    }

    @Test(
        "messages are handed out whole, fragments joined, in pieces of any size", arguments: 1...9)
    func messages(size: Int) {
        let frames: [UInt8] = [0x81, 2, 72, 105, 0x01, 1, 65, 0x89, 0, 0x80, 1, 66, 0x81, 0]
        var walker = FrameWalker(keepsMessages: true)
        var controls: [FrameWalker.Control] = []

        for start in stride(from: 0, to: frames.count, by: size) {
            let piece = frames[start..<min(frames.count, start + size)]
            piece.withUnsafeBytes { walker.walk($0) { controls.append($0) } }
        }

        #expect(
            controls == [.message([72, 105]), .ping([]), .message([65, 66]), .message([])])
    }

    @Test("server frames are followed in pieces of any size", arguments: 1...7)
    func walking(seed: UInt64) {
        func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
            let count = payload.count
            let length: [UInt8] =
                count < 126
                ? [UInt8(count)]
                : count < 65_536
                    ? [126, UInt8(count >> 8), UInt8(count & 255)]
                    : [
                        127, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 255),
                        UInt8(count & 255),
                    ]
            return [0x80 | opcode] + length + payload
        }
        // Bytes that would be headers of pings and closes if they were taken for such.
        let data = [UInt8](repeating: 0x89, count: 70_000)
        let stream =
            frame(1, []) + frame(1, Array(data[..<125])) + frame(9, Array("hi".utf8))
            + frame(2, Array(data[..<126])) + frame(9, []) + frame(1, data) + frame(10, [1])
            + frame(8, [0x03, 0xF5, 0x41])
        var generator = SeededGenerator(seed: seed)
        var walker = FrameWalker()
        var controls: [FrameWalker.Control] = []

        var rest = stream[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Int.random(in: 1...200, using: &generator)))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { walker.walk($0) { controls.append($0) } }
        }

        #expect(controls == [.ping(Array("hi".utf8)), .ping([]), .close(1013)])
        #expect(walker.frameCount == 4)
    }

    @Test("a close frame may have no code")
    func closing() {
        var walker = FrameWalker()
        var controls: [FrameWalker.Control] = []

        [UInt8]([0x88, 0x00]).withUnsafeBytes { walker.walk($0) { controls.append($0) } }

        #expect(controls == [.close(nil)])
    }

    @Test("client frames are masked and say how long they are", arguments: [0, 125, 126, 65_535])
    func headers(count: Int) {
        let payload = [UInt8](repeating: 7, count: count)

        let frame = ClientFrame.bytes(payload, opcode: 2)

        #expect(frame[0] == 0x82)
        #expect(frame[1] & 0x80 != 0)
        if count < 126 {
            #expect(Int(frame[1] & 127) == count)
        } else {
            #expect(frame[1] & 127 == 126)
            #expect(Int(frame[2]) << 8 | Int(frame[3]) == count)
        }
        #expect(Array(frame.suffix(count)) == payload)
        #expect(frame.count == count + (count < 126 ? 6 : 8))
    }

    @Test("a template is filled in at each of its places")
    func templates() {
        var template = Dialect(kind: .syncdaemon, port: 1).add(isRetryable: true)

        _ = template.fill(channel: 999_999, time: .max, number: 9_999_999_999)
        let frame = template.fill(channel: 42, time: 0xAB, number: 7)
        let text = text(of: frame)

        #expect(text.contains(#""channel":"c000042""#))
        #expect(text.contains(#""messageTimetoken":"10000000000000007""#))
        #expect(text.contains(#""value":"@T00000000000000ab""#))
        #expect(text.contains(#""mutation":"10000000000000007""#))
        #expect(markers([frame]) == [0xAB])
        #expect(throws: Never.self) { _ = try JSONValue(parsing: text) }
    }

    @Test(
        "an event has the size that was asked for, on every server", arguments: ServerKind.allCases)
    func sizes(kind: ServerKind) throws {
        var template = Dialect(kind: kind, port: 1).event(bytes: 200)

        let frame = template.fill(channel: 3, time: 1, number: 0)
        let text = text(of: frame)

        #expect(markers([frame]) == [1])
        switch kind {
        case .syncdaemon, .guarded:
            let command = try JSONValue(parsing: text)
            let payload = command.member("payload")?.compactText ?? "absent"
            let envelope =
                #"{"a":"1","f":0,"i":"w","p":{"t":"17952187953729999","r":1},"k":"default","#
                + #""c":"c000003","d":\#(payload)}"#
            #expect(envelope.utf8.count == 200)
        case .floor, .uwebsockets:
            #expect(text.hasPrefix("pub c000003 "))
            #expect(text.utf8.count == 12 + 200)
        case .nats:
            let lines = text.split(separator: "\r\n")
            #expect(lines.first == "PUB c000003 200")
            #expect(lines.last?.utf8.count == 200)
        case .nchan: #expect(text.utf8.count == 200)
        }
    }
}
