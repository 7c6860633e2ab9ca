// The secret of one channel's digests.

/// 16 random bytes that key every hash of one channel in one store.
///
/// Two channels, and a store and its replacement, have unlike keys, so that rows which happen to
/// cancel in one digest do not cancel in another. The devices of a channel know its key: a digest
/// tells honest copies apart, and proves nothing against somebody who forges both rows and
/// timetokens.
public struct DigestKey: Hashable, Sendable {
    /// The bytes in memory order, eight per word, little-endian.
    let words: (UInt64, UInt64)

    /// A new key; pass a generator that nobody can predict.
    public static func random(using generator: inout some RandomNumberGenerator) -> DigestKey {
        DigestKey(words: (generator.next(), generator.next()))
    }

    /// Reads what ``text`` wrote: 32 lower-case digits; anything else is `nil`.
    public init?(_ text: some StringProtocol) {
        guard let words = Hexadecimal.words(text) else { return nil }
        self.init(words: (words.0.byteSwapped, words.1.byteSwapped))
    }

    package init(words: (UInt64, UInt64)) {
        self.words = words
    }

    /// The bytes in their order, two lower-case hexadecimal digits each.
    public var text: String {
        Hexadecimal.text(words.0.byteSwapped) + Hexadecimal.text(words.1.byteSwapped)
    }

    package var bytes: [UInt8] {
        [words.0, words.1].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word &>> (8 &* UInt64($0))) }
        }
    }

    public static func == (left: DigestKey, right: DigestKey) -> Bool {
        left.words == right.words
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
