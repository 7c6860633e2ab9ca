// What a store's digest keys are made from: every thread knows any channel's key without a read.

import CSodium
import EventModel

/// 32 random bytes, made with a store and kept in it.
///
/// Whoever has them can compute the key of every channel; they never leave the daemon.
struct DigestSecret: Hashable, Sendable {
    /// The bytes in their order, two lower-case hexadecimal digits each.
    let text: String
    private let bytes: [UInt8]

    private init(_ front: DigestKey, _ back: DigestKey) {
        text = front.text + back.text
        bytes = front.bytes + back.bytes
    }

    /// A new secret; pass a generator that nobody can predict.
    static func random(using generator: inout some RandomNumberGenerator) -> DigestSecret {
        DigestSecret(.random(using: &generator), .random(using: &generator))
    }

    /// Reads what ``text`` says: 64 lower-case digits; anything else is `nil`.
    init?(_ text: String) {
        let digits = Substring(text).utf8
        guard let front = DigestKey(Substring(digits.prefix(32))),
            let back = DigestKey(Substring(digits.dropFirst(32)))
        else { return nil }
        self.init(front, back)
    }

    /// The key of a channel's digests: keyed BLAKE2b over `keyset 0x00 name`.
    ///
    /// - Complexity: About 300 ns; who needs it often keeps it.
    func key(of channel: Channel) -> DigestKey {
        let name = Array(channel.keyset.utf8) + [0] + Array(channel.name.utf8)
        var words: (UInt64, UInt64) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { output in
            guard let output = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            else { preconditionFailure("a hash of no bytes") }
            // Never fails: sizes of key and output are within BLAKE2b's bounds.
            _ = unsafe crypto_generichash_blake2b(
                output, 16, name, UInt64(name.count), bytes, bytes.count)
        }
        return DigestKey(words: (UInt64(littleEndian: words.0), UInt64(littleEndian: words.1)))
    }
}
