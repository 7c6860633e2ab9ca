// Where segments begin, by a timetoken alone.

import EventModel
import Testing

@Suite("Segments: where they begin")
struct SegmentCutTests {
    @Test(
        "as docs/RECONCILIATION.md says",
        arguments: [(17_952_187_953_729_999, false), (17_952_187_953_730_016, true)])
    func vectors(timetoken: UInt64, begins: Bool) {
        #expect(Timetoken(rawValue: timetoken).beginsSegment(ofMessages: 32) == begins)
    }

    @Test(
        "at any steady pace about every 32nd message begins one",
        arguments: [1, 10, 1000, 1_250_000, 10_000_000, 1 << 32, 3 << 20] as [UInt64])
    func paces(ticks: UInt64) {
        let start: UInt64 = 17_952_187_953_729_999
        let count = (0..<32_000 as Range<UInt64>).filter {
            Timetoken(rawValue: start + $0 * ticks).beginsSegment(ofMessages: 32)
        }.count
        // Six standard deviations.
        #expect((810...1190).contains(count))
    }
}
