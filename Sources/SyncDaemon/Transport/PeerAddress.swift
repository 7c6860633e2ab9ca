// The address of a peer as a value: to be counted by, compared and written.

import Glibc

/// A peer's address: IPv6 as it is, IPv4 in the last four bytes.
struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes 16 bytes of IPv6, or 4 of IPv4, in network order.
    ///
    /// What comes as IPv4 through a socket of IPv6, `::ffff:192.0.2.1`, is IPv4 (RFC 4291,
    /// 2.5.5.2).
    init(_ bytes: some Collection<UInt8>) {
        precondition(bytes.count == 16 || bytes.count == 4, "No address has such a length.")
        let rest = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let isMapped =
            bytes.count == 16 && rest >> 32 == 0xFFFF && bytes.prefix(8).allSatisfy { $0 == 0 }
        high = bytes.count == 16 ? bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } : 0
        low = isMapped ? rest & 0xFFFF_FFFF : rest
    }

    /// Reads `192.0.2.1` or `2001:db8::1`, never a name.
    init?(_ text: some StringProtocol) {
        var address = in6_addr()
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &address) == 1 else {
            return nil
        }
        let bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
        self.init(bytes.prefix(isIPv6 ? 16 : 4))
    }

    /// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address.
    ///
    /// Whoever has one address of a /64 has all of them (RFC 4291, 2.5.1; RFC 6177).
    var network: PeerAddress { high == 0 ? self : PeerAddress(high: high, low: 0) }

    /// Whether it is one of IPv4; ::1 is not, though it has only low bits.
    var isIPv4: Bool { high == 0 && low >> 32 == 0 && low > 1 }

    /// As people write it; ::1 and IPv4 share the lowest addresses, of which only ::1 connects.
    var description: String {
        if isIPv4 { return dotted }
        if high == 0, low == 1 { return "::1" }
        return (0..<8).map { group in
            let half = group < 4 ? high : low
            return String(half >> (48 - 16 * UInt64(group % 4)) & 0xFFFF, radix: 16)
        }.joined(separator: ":")
    }
}

extension PeerAddress {
    /// The last four bytes as people write those of IPv4.
    fileprivate var dotted: String {
        (0..<4).map { String(low >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".")
    }
}

/// Addresses with the same first bits: `10.0.0.0/8`, or one address.
struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let first: PeerAddress
    private let isIPv4: Bool
    /// Of the whole address; for IPv4 those that IPv6 has before it are counted in.
    private let bits: Int

    /// Reads `192.0.2.0/24`, `2001:db8::/32` or a single address.
    ///
    /// - Returns: `nil` for anything else, and for one that names bits behind its prefix: its
    ///   writer meant something else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ PeerAddress($0) }) else { return nil }
        // Also 0.0.0.0, which is nobody's address.
        isIPv4 = address.isIPv4 || !text.utf8.contains(UInt8(ascii: ":"))
        let width = isIPv4 ? 32 : 128
        var count = width
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count),
                parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number <= width
            else { return nil }
            count = number
        }
        first = address
        bits = count + 128 - width
        guard Self.prefix(of: address, bits) == address else { return nil }
    }

    func contains(_ address: PeerAddress) -> Bool {
        address.isIPv4 == isIPv4 && Self.prefix(of: address, bits) == first
    }

    /// Whether it has more addresses than one network has: a /24, or the /64 of IPv6.
    var isWide: Bool { bits < (isIPv4 ? 128 - 8 : 64) }

    /// Whether none of its addresses is one of the internet: loopback, RFC 1918 and RFC 4193.
    ///
    /// Those that neighbours have too, of links (RFC 3927) and of providers (RFC 6598), are not
    /// one's own.
    var isPrivate: Bool { Self.privateRanges.contains { $0.contains(self) } }

    private static let privateRanges = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7",
    ].compactMap { AddressRange($0) }

    private func contains(_ other: AddressRange) -> Bool {
        other.bits >= bits && other.isIPv4 == isIPv4
            && Self.prefix(of: other.first, bits) == first
    }

    var description: String {
        let address = isIPv4 ? first.dotted : "\(first)"
        return bits == 128 ? address : "\(address)/\(isIPv4 ? bits - 96 : bits)"
    }

    private static func prefix(of address: PeerAddress, _ bits: Int) -> PeerAddress {
        // A shift by 64 or more leaves nothing.
        PeerAddress(
            high: address.high & ~(UInt64.max >> UInt64(min(bits, 64))),
            low: address.low & ~(UInt64.max >> UInt64(max(0, bits - 64))))
    }
}
