// SipHash-2-4 with 128 bits of output.
//
// - Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and its reference
//   implementation's 128-bit variant.
//
// Of our own, so that a device links nothing but SQLite; the tests compare it with libsodium's.

/// A 128-bit hash, as the two little-endian words of its 16 bytes.
package struct KeyedHash: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    /// Hashes what is in `bytes`, which may be empty; takes no longer for one key than for another.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, key: DigestKey) {
        let bytes = UnsafeRawBufferPointer(bytes)
        var state = SipState(key.words)
        let whole = bytes.count & ~7
        var offset = 0
        while offset < whole {
            state.absorb(
                UInt64(
                    littleEndian: unsafe bytes.loadUnaligned(
                        fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        // The last word has what is left, and the count of all bytes, of which it keeps eight bits.
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        while offset < bytes.count {
            last |= UInt64(unsafe bytes[offset]) << UInt64(8 &* (offset &- whole))
            offset += 1
        }
        state.absorb(last)
        (first, second) = state.finish()
    }
}

/// The four words that SipHash turns over.
private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    /// - Parameter key: Its bytes as two little-endian words.
    init(_ key: (UInt64, UInt64)) {
        // "somepseudorandomlygeneratedbytes", and 0xEE, which says that the output has 128 bits.
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        turn()
        turn()
        v0 ^= word
    }

    @inline(__always)
    mutating func finish() -> (UInt64, UInt64) {
        v2 ^= 0xee
        for _ in 0..<4 { turn() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { turn() }
        return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    @inline(__always)
    private mutating func turn() {
        v0 &+= v1
        v1 = v1.rotated(13) ^ v0
        v0 = v0.rotated(32)
        v2 &+= v3
        v3 = v3.rotated(16) ^ v2
        v0 &+= v3
        v3 = v3.rotated(21) ^ v0
        v2 &+= v1
        v1 = v1.rotated(17) ^ v2
        v2 = v2.rotated(32)
    }
}

extension UInt64 {
    /// The bits moved left by `count`, those that fall out put in again on the right.
    @inline(__always)
    fileprivate func rotated(_ count: UInt64) -> UInt64 {
        self &<< count | self &>> (64 &- count)
    }
}
