// Which bytes of a file are asked for. Pure: text in, a range out.

/// What a `Range` header says, of one range.
///
/// - Source: RFC 9110, section 14.1.2.
enum ByteRange: Hashable, Sendable {
    /// `nil`: to the end.
    case from(Int, through: Int?)
    /// So many at the end.
    case last(Int)

    /// - Returns: `nil` for what is none, and for several at once: then the whole is the answer, as
    ///   section 14.2 allows.
    init?(_ header: String) {
        let parts = header.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        switch (bounds[0].isEmpty, bounds[1].isEmpty) {
        case (true, false):
            guard let count = Self.number(bounds[1]) else { return nil }
            self = .last(count)
        case (false, true):
            guard let start = Self.number(bounds[0]) else { return nil }
            self = .from(start, through: nil)
        case (false, false):
            guard let start = Self.number(bounds[0]), let end = Self.number(bounds[1]),
                start <= end
            else { return nil }
            self = .from(start, through: end)
        case (true, true): return nil
        }
    }

    /// Those that a body of so many bytes has; `nil`: none.
    func resolved(in size: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end):
            guard start < size else { return nil }
            return start..<min(size, end.map { $0 + 1 } ?? size)
        case .last(let count):
            guard count > 0, size > 0 else { return nil }
            return max(0, size - count)..<size
        }
    }

    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        // No file is as large as what has more digits.
        return digits.utf8.count <= 18 ? Int(digits) : Int.max - 1
    }
}

/// A validator as a server names one, and what clients have.
enum EntityTag {
    /// Whether `If-None-Match` has a tag, or any.
    ///
    /// - Source: RFC 9110, section 13.1.2: the comparison is weak.
    static func isListed(_ tag: String, in header: String) -> Bool {
        header.split(separator: ",").contains { element in
            let text = element.drop { $0 == " " || $0 == "\t" }
            let trimmed = String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
            return trimmed == "*" || trimmed == tag || trimmed == "W/" + tag
        }
    }
}
