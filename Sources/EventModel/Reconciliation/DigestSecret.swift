// What a store's digest keys are made from: every thread knows any channel's key without a read.

import CSodium

/// 32 random bytes, made with a store and kept in it.
///
/// Whoever has them can compute the key of every channel; they never leave the daemon.
public struct DigestSecret: Hashable, Sendable {
    private let bytes: [UInt8]

    /// A new secret; pass a generator that nobody can predict.
    public static func random(using generator: inout some RandomNumberGenerator) -> DigestSecret {
        var bytes: [UInt8] = []
        for _ in 0..<4 { bytes.appendWord(generator.next() as UInt64) }
        return DigestSecret(bytes: bytes)
    }

    /// Reads what ``text`` wrote: 64 lower-case digits; anything else is `nil`.
    public init?(_ text: String) {
        let digits = Substring(text).utf8
        guard digits.count == 64,
            let front = Hexadecimal.words(Substring(digits.prefix(32))),
            let back = Hexadecimal.words(Substring(digits.suffix(32)))
        else { return nil }
        var bytes: [UInt8] = []
        for word in [front.0, front.1, back.0, back.1] { bytes.appendWord(word.byteSwapped) }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The bytes in their order, two lower-case hexadecimal digits each.
    public var text: String {
        var reader = ByteReader(bytes)
        var text = ""
        while let word: UInt64 = try? reader.word() { text += Hexadecimal.text(word.byteSwapped) }
        return text
    }

    /// The key of a channel's digests: keyed BLAKE2b over `keyset 0x00 name`.
    ///
    /// - Complexity: About 300 ns; who needs it often keeps it.
    public func key(of channel: Channel) -> DigestKey {
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
