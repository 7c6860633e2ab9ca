// What proxies say for whom they connect: tables of both versions, and what nobody may say.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// A header, and what it comes to.
private struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let header: ProxyHeader?

    /// Version 1.
    init(_ line: String, _ header: ProxyHeader?) {
        testDescription = String(line.prefix(80))
        bytes = Array(line.utf8)
        self.header = header
    }

    /// Version 2: its command, its family, and what stands behind the length.
    init(
        _ description: String, _ command: UInt8, _ family: UInt8, _ rest: [UInt8],
        _ header: ProxyHeader?
    ) {
        testDescription = description
        bytes =
            signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
        self.header = header
    }
}

private let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
private let fourAndPorts: [UInt8] = [192, 0, 2, 7, 127, 0, 0, 1, 0x30, 0x39, 0x1F, 0x90]
private let sixAndPorts: [UInt8] =
    [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [9] + Array(repeating: 0, count: 15)
    + [1, 0x30, 0x39, 0x1F, 0x90]
private let four = ProxyHeader.client(PeerAddress(high: 0, low: 0xC000_0207))
private let six = ProxyHeader.client(PeerAddress(high: 0x2001_0DB8_0000_0000, low: 9))

@Suite("PROXY headers")
struct ProxyHeaderTests {
    private static let good = [
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 12345 8080\r\n", four),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 0 65535\r\n", four),
        Sample("PROXY TCP6 2001:db8::9 ::1 12345 8080\r\n", six),
        // The same client, whatever socket it came through.
        Sample("PROXY TCP6 ::ffff:192.0.2.7 ::1 12345 8080\r\n", four),
        Sample("PROXY UNKNOWN\r\n", .proxy),
        Sample("PROXY UNKNOWN ffff::1 whatever it says\r\n", .proxy),
        Sample("version 2, IPv4", 0x21, 0x11, fourAndPorts, four),
        Sample("version 2, IPv6", 0x21, 0x21, sixAndPorts, six),
        Sample("version 2, more behind it", 0x21, 0x11, fourAndPorts + [4, 0, 1, 0], four),
        Sample("version 2, LOCAL", 0x20, 0x11, fourAndPorts, .proxy),
        Sample("version 2, LOCAL alone", 0x20, 0x00, [], .proxy),
        Sample("version 2, UNSPEC", 0x21, 0x00, [], .proxy),
        Sample(
            "version 2, UNIX", 0x21, 0x31, Array(repeating: UInt8(ascii: "a"), count: 216), .proxy),
    ]

    @Test("what the specification has is read, and what follows is left", arguments: good)
    private func accepts(_ sample: Sample) throws {
        let header = try #require(sample.header)
        let count = sample.bytes.count

        #expect(ProxyHeader.parse(sample.bytes) == .complete(header, byteCount: count))
        #expect(
            ProxyHeader.parse(sample.bytes + Array("GET / HTTP/1.1".utf8))
                == .complete(header, byteCount: count))
        for length in 0..<count {
            #expect(ProxyHeader.parse(Array(sample.bytes.prefix(length))) == .incomplete)
        }
    }

    private static let bad = [
        Sample("GET / HTTP/1.1\r\n", nil), Sample("PROXYTCP4", nil), Sample("proxy TCP4 ", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 12345 8080\n", nil),
        Sample("PROXY TCP4  192.0.2.7 127.0.0.1 12345 8080\r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 12345 8080 \r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 12345\r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 012345 80\r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 65536 80\r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 127.0.0.1 -1 80\r\n", nil),
        Sample("PROXY TCP4 192.0.2.007 127.0.0.1 1 80\r\n", nil),
        Sample("PROXY TCP4 192.0.2 127.0.0.1 1 80\r\n", nil),
        Sample("PROXY TCP4 ::1 127.0.0.1 1 80\r\n", nil),
        Sample("PROXY TCP4 192.0.2.7 ::1 1 80\r\n", nil),
        Sample("PROXY TCP6 192.0.2.7 ::1 1 80\r\n", nil),
        Sample("PROXY TCP6 fe80::1%lo ::1 1 80\r\n", nil),
        Sample("PROXY UDP4 192.0.2.7 127.0.0.1 1 80\r\n", nil), Sample("PROXY \r\n", nil),
        Sample("PROXY UNKNOWN " + String(repeating: "a", count: 92) + "\r\n", nil),
        Sample("PROXY UNKNOWN " + String(repeating: "a", count: 93), nil),
        Sample("version 1 in binary", 0x11, 0x11, fourAndPorts, nil),
        Sample("version 3", 0x31, 0x11, fourAndPorts, nil),
        Sample("an unknown command", 0x22, 0x11, fourAndPorts, nil),
        Sample("too short for IPv4", 0x21, 0x11, Array(fourAndPorts.dropLast()), nil),
        Sample("too short for IPv6", 0x21, 0x21, fourAndPorts, nil),
        Sample("UDP", 0x21, 0x12, fourAndPorts, nil),
        Sample("an unknown family", 0x21, 0x41, fourAndPorts, nil),
        Sample(
            "too long", 0x21, 0x11,
            Array(repeating: 0, count: Limits.proxyHeaderBytesMax - 15), nil),
    ]

    @Test("what it does not have is refused", arguments: bad)
    private func refuses(_ sample: Sample) {
        guard case .refused(let reason) = ProxyHeader.parse(sample.bytes) else {
            Issue.record("\(ProxyHeader.parse(sample.bytes))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("the longest header that may be is read")
    func longest() {
        let rest = fourAndPorts + Array(repeating: 0, count: Limits.proxyHeaderBytesMax - 28)
        let sample = Sample("", 0x21, 0x11, rest, four)

        #expect(
            ProxyHeader.parse(sample.bytes)
                == .complete(four, byteCount: Limits.proxyHeaderBytesMax))
    }

    @Test("whatever comes, it is bounded, and more bytes do not change what was said")
    func random() {
        var generator = SeededGenerator(seed: 13)
        let starts = Self.good.map(\.bytes) + Self.bad.map(\.bytes)
        for _ in 0..<20_000 {
            var bytes = starts.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            let more = bytes + (0..<8).map { _ in .random(in: 0...255, using: &generator) }
            switch ProxyHeader.parse(bytes) {
            case .incomplete: #expect(bytes.count < Limits.proxyHeaderBytesMax)
            case .complete(let header, let count):
                #expect((1...bytes.count).contains(count))
                #expect(ProxyHeader.parse(more) == .complete(header, byteCount: count))
            case .refused(let reason): #expect(ProxyHeader.parse(more) == .refused(reason))
            }
        }
    }
}

@Suite("Ranges of addresses")
struct AddressRangeTests {
    @Test(
        "what begins so is in it",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::a00:1", true), ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
            ("::/0", "203.0.113.9", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/64", "2001:db8::1:0:0:1", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::1", "::1", true),
            ("192.0.2.0/31", "::ffff:192.0.2.1", true),
        ])
    func contains(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))

        #expect(range.contains(try #require(PeerAddress(address))) == isIn)
        #expect(AddressRange(range.description) == range)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/8/8", "10.0.0/8", "::1/129",
            "2001:db8::1/32", "localhost", "10.0.0.0/+8", "10.0.0.0/ 8", "[::1]",
        ])
    func refuses(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
