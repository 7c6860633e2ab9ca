// What a full socket did not take.

/// The rest of what was written to one connection.
struct UnsentBytes {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    /// Lends what is to be sent next.
    func withNext<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(start...))
    }

    init() {}

    /// Takes bytes over, of which the first so many were sent.
    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.start = start
    }

    mutating func append(_ more: Span<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Forgets bytes that were sent; the memory is given back with the last of them.
    mutating func removeFirst(_ count: Int) {
        start += count
        if start == bytes.count { self = UnsentBytes() }
    }
}
