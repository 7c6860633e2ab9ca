// A body is recognised by its bytes, and a bomb by what it becomes.

import CZlib
import Testing

@testable import SyncDaemon

/// Compresses as the SDKs do; `windowBits` as in zlib.h.
private func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1024)
    deflateInit2_(
        &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
        }
    }
    return Array(output[..<(output.count - Int(stream.avail_out))])
}

private func inflated(_ bytes: [UInt8], limit: Int = 1000) -> Result<String, InflateStream.Failure>
{
    RequestBody.inflated(bytes, limit: limit).map { String(decoding: $0, as: UTF8.self) }
}

@Suite("RequestBody")
struct RequestBodyTests {
    static let formats: [Int32] = [15 + 16, 15, -15]

    @Test("gzip, zlib and raw deflate are told apart", arguments: formats)
    func recognised(windowBits: Int32) {
        let text = #"{"text":"👍👍👍👍👍👍"}"#

        #expect(inflated(deflated(Array(text.utf8), windowBits: windowBits)) == .success(text))
    }

    @Test("every level's header of zlib is known", arguments: [0x01, 0x5E, 0x9C, 0xDA] as [UInt8])
    func levels(flags: UInt8) {
        var bytes = deflated(Array("[1]".utf8), windowBits: 15)
        bytes[1] = flags

        #expect(inflated(bytes) == .success("[1]"))
    }

    @Test(
        "what is not compressed stays as it is",
        arguments: ["", "1", "\"x\"", "x\u{1}", "xyz", "80", "{", #"{"a":[1,2]}"#, "👍", "hello"])
    func plain(text: String) {
        #expect(inflated(Array(text.utf8)) == .success(text))
    }

    @Test("exactly the limit is allowed, and one byte more is not", arguments: formats)
    func limit(windowBits: Int32) {
        let text = [UInt8](repeating: UInt8(ascii: "1"), count: 1000)
        let bytes = deflated(text, windowBits: windowBits)

        #expect(RequestBody.inflated(bytes, limit: 1000) == .success(text))
        #expect(RequestBody.inflated(bytes, limit: 999) == .failure(.tooLarge))
        #expect(RequestBody.inflated(text, limit: 1000) == .success(text))
        #expect(RequestBody.inflated(text, limit: 999) == .failure(.tooLarge))
    }

    @Test("a bomb goes off at the limit", arguments: formats)
    func bombs(windowBits: Int32) {
        let bytes = deflated([UInt8](repeating: 0, count: 16 << 20), windowBits: windowBits)

        #expect(bytes.count < 32 * 1024)
        #expect(RequestBody.inflated(bytes, limit: 32 * 1024) == .failure(.tooLarge))
    }

    @Test(
        "a stream that is cut off, damaged or followed by more is refused",
        arguments: [31, 15] as [Int32])
    func malformed(windowBits: Int32) {
        let bytes = deflated(Array(#"{"text":"hello, hello, hello"}"#.utf8), windowBits: windowBits)

        for count in 3..<bytes.count {
            #expect(
                RequestBody.inflated(Array(bytes[..<count]), limit: 999) == .failure(.malformed))
        }
        #expect(RequestBody.inflated(bytes + [0], limit: 999) == .failure(.malformed))
        var damaged = bytes
        damaged[damaged.count - 1] ^= 1
        #expect(RequestBody.inflated(damaged, limit: 999) == .failure(.malformed))
    }
}
