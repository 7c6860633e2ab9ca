// What a full socket did not take.

/// The rest of what was written to one connection.
struct UnsentBytes {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    /// Bytes of memory that it has, with what was sent of them.
    var heldBytes: Int { bytes.capacity }

    /// Lends what is to be sent next.
    func withNext<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(start...))
    }

    init() {}

    /// Takes bytes over, of which the first so many were sent.
    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        self.start = start
        giveBack()
    }

    mutating func append(_ more: Span<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Forgets bytes that were sent.
    mutating func removeFirst(_ count: Int) {
        start += count
        giveBack()
    }

    /// What was sent keeps its memory only while it is less than the rest: the rest is what is
    /// counted, and may wait for minutes.
    private mutating func giveBack() {
        guard start < bytes.count else {
            self = UnsentBytes()
            return
        }
        guard start > bytes.count / 2 else { return }
        bytes = Array(bytes[start...])
        start = 0
    }
}
