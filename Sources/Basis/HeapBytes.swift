// What values take of the heap, for budgets that bound memory and not what is in it.

/// Bytes that the allocator gives away for values, beside what they say.
///
/// - Source: glibc's malloc: a block has a header of 8 bytes and a length that is a multiple of 16,
///   32 at least. Swift's runtime: the elements of an array and the text of a string begin behind
///   32 bytes; a string of up to 15 bytes has no block. A test compares all of it with the process.
public enum HeapBytes {
    /// A block for so many bytes.
    public static func block(_ size: Int) -> Int { max(32, (size + 8 + 15) & ~15) }

    /// What is behind an array.
    public static func array<Element>(_ elements: [Element]) -> Int {
        elements.capacity == 0
            ? 0 : block(32 + elements.capacity * MemoryLayout<Element>.stride)
    }

    /// What is behind a string.
    public static func string(_ text: String) -> Int {
        let count = text.utf8.count
        return count <= 15 ? 0 : block(32 + count + 1)
    }

    /// A place in an array that grows by doubling: as much again is free, or was left by what has
    /// gone.
    public static func place<Element>(of type: Element.Type) -> Int {
        2 * MemoryLayout<Element>.stride
    }
}
