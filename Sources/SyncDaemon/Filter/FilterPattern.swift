// The patterns of `like`, and a search that is linear whatever the texts are.

/// A text in which `*` and `%` stand for any characters, or none; nothing else is special.
///
/// Compares without regard to upper and lower case.
struct FilterPattern {
    /// What must come one after the other, in small letters; there is a wildcard between two.
    private let pieces: [[UInt8]]

    init(_ text: String) {
        pieces = text.lowercased().utf8
            .split(omittingEmptySubsequences: false) { byte in
                byte == UInt8(ascii: "*") || byte == UInt8(ascii: "%")
            }.map(Array.init)
    }

    /// Whether the whole text is like this.
    ///
    /// - Complexity: Linear in both texts: a piece that is found as early as it can be leaves the
    ///   most for the next one, so nothing is tried twice.
    func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
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
    /// - Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings", 1977.
    static func firstIndex(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard !part.isEmpty else { return text.startIndex }
        guard part.count <= text.count else { return nil }
        // The length of the longest beginning of the part that also ends at each byte of it.
        var borders = [0]
        borders.reserveCapacity(part.count)
        for byte in part.dropFirst() {
            borders.append(step(from: borders[borders.count - 1], over: byte, part, borders))
        }
        var matched = 0
        for index in text.indices {
            matched = step(from: matched, over: text[index], part, borders)
            if matched == part.count { return index + 1 - part.count }
        }
        return nil
    }

    /// How much of the part ends at a byte, when `matched` of it ended at the byte before.
    private static func step(
        from matched: Int, over byte: UInt8, _ part: [UInt8], _ borders: [Int]
    ) -> Int {
        var matched = matched
        while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
        return part[matched] == byte ? matched + 1 : 0
    }
}
