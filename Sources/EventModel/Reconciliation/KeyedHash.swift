// SipHash-2-4 with 128 bits of output.
//
// - Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and its reference
//   implementation's 128-bit variant.

import CSodium

/// A 128-bit hash, as the two little-endian words of libsodium's 16 bytes.
package struct KeyedHash: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    /// Hashes what is in `bytes`, which may be empty.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, key: DigestKey) {
        var words: (UInt64, UInt64) = (0, 0)
        unsafe key.withBytes { key in
            unsafe withUnsafeMutableBytes(of: &words) { output in
                guard let output = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                else { preconditionFailure("a hash of no bytes") }
                // Never fails: its result is always 0.
                _ = unsafe crypto_shorthash_siphashx24(
                    output, bytes.baseAddress, UInt64(bytes.count), key)
            }
        }
        first = UInt64(littleEndian: words.0)
        second = UInt64(littleEndian: words.1)
    }
}
