// Texts that are equal only byte for byte: what names and values are on the wire and in the store.

/// A string whose identity is its UTF-8 bytes.
///
/// Swift calls canonically equivalent strings equal ("é" and "e" with an accent). The store, other
/// clients and other languages do not, so a dictionary keyed by `String` would merge what they keep
/// apart.
package struct ExactText: Hashable, Comparable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        guard lhs.string.utf8.count == rhs.string.utf8.count else { return false }
        var (left, right) = (lhs.string, rhs.string)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                unsafe isEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
    }

    /// Compares words: every look into a dictionary of names passes here.
    ///
    /// - Precondition: Both have as many bytes.
    private static func isEqual(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        var offset = 0
        while offset + 8 <= left.count {
            let words = unsafe (
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard words.0 == words.1 else { return false }
            offset += 8
        }
        while offset < left.count {
            guard unsafe left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)  // "ab","c" and "a","bc" differ.
    }

    /// By bytes: the same order on every machine.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.string.utf8.lexicographicallyPrecedes(rhs.string.utf8)
    }
}
