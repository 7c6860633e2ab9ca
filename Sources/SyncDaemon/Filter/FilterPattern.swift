// The patterns of `like`, and a search that is linear whatever the texts are.

import CLinux

/// A text in which `*` and `%` stand for any characters, or none; nothing else is special.
///
/// Compares without regard to upper and lower case.
struct FilterPattern {
    /// What must come one after the other, in small letters; there is a wildcard between two.
    private let pieces: [[UInt8]]

    init(_ text: String) {
        pieces = Self.folded(text)
            .split(omittingEmptySubsequences: false) { byte in
                byte == UInt8(ascii: "*") || byte == UInt8(ascii: "%")
            }.map(Array.init)
    }

    /// Whether the whole text is like this.
    ///
    /// - Complexity: Linear in both texts: a piece that is found as early as it can be leaves the
    ///   most for the next one, so nothing is tried twice.
    func matches(_ text: String) -> Bool {
        let text = Self.folded(text)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return pieces.first == text
        }
        guard text.count >= first.count + last.count, text.starts(with: first),
            text.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = text[first.count..<(text.count - last.count)]
        for piece in pieces[1..<(pieces.count - 1)] {
            guard let index = Self.firstIndex(of: piece, in: rest) else { return false }
            rest = rest[(index + piece.count)...]
        }
        return true
    }

    /// Where a part begins first.
    ///
    /// - Complexity: Linear in the text: glibc searches for up to 256 bytes by a hash of two, for
    ///   more by Crochemore and Perrin's two-way algorithm.
    static func firstIndex(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard !part.isEmpty else { return text.startIndex }
        return unsafe text.withUnsafeBytes { text -> Int? in
            guard let base = text.baseAddress,
                let found = unsafe sync_find(base, text.count, part, part.count)
            else { return nil }
            return unsafe found - base
        }.map { text.startIndex + $0 }
    }

    /// In small letters.
    ///
    /// Texts are long and mostly ASCII, for which this is many times faster than `lowercased`: its
    /// loops have no way out, so that they look at many bytes at once.
    private static func folded(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        var span = bytes.mutableSpan
        var all: UInt8 = 0
        for index in span.indices { all |= span[index] }
        guard all < 0x80 else { return Array(text.lowercased().utf8) }
        for index in span.indices {
            let byte = span[index]
            span[index] = byte | (byte &- UInt8(ascii: "A") < 26 ? 0x20 : 0)
        }
        return bytes
    }
}
