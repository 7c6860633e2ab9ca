// What a full socket did not take, and the memory of what it took since.

import Testing

@testable import SyncDaemon

@Suite("Unsent bytes")
struct UnsentBytesTests {
    private func all(_ unsent: UnsentBytes) -> [UInt8] {
        unsent.withNext { span in (0..<span.count).map { span[$0] } }
    }

    @Test("bytes leave in their order, however many a socket takes at a time")
    func order() {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var unsent = UnsentBytes(bytes, from: 4000)
        #expect(unsent.count == 6000 && all(unsent) == Array(bytes[4000...]))
        var expected = Array(bytes[4000...])
        for step in 1...60 {
            unsent.removeFirst(step * 3)
            expected.removeFirst(step * 3)
            if step % 7 == 0 {
                unsent.append(bytes.span.extracting(0..<step))
                expected += bytes[0..<step]
            }
            #expect(unsent.count == expected.count && all(unsent) == expected)
        }
        unsent.removeFirst(unsent.count)
        #expect(unsent.isEmpty && unsent.heldBytes == 0)
    }

    @Test("what was sent is given back with the half of it: what is counted is what is held")
    func memory() {
        #expect(UnsentBytes([UInt8](repeating: 1, count: 100_000), from: 99_000).heldBytes < 3000)
        var unsent = UnsentBytes([UInt8](repeating: 1, count: 100_000), from: 10)
        while unsent.count > 1000 {
            unsent.removeFirst(500)
            #expect(unsent.heldBytes <= 2 * unsent.count + 4096)
        }
    }
}
