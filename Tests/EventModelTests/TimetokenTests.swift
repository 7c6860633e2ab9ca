// Positions: which texts are one, how they compare, and what comes next.

import Basis
import EventModel
import Testing

@Suite("Timetoken")
struct TimetokenTests {
    @Test(
        "1 to 19 digits up to Int64.max are read",
        arguments: [
            ("0", 0), ("1", 1), ("007", 7), ("17952187953729261", 17_952_187_953_729_261),
            ("9223372036854775807", UInt64(Int64.max)), ("0000000000000000000", 0),
        ])
    func reads(text: String, value: UInt64) {
        #expect(Timetoken(text)?.rawValue == value)
        #expect(Timetoken(text[...])?.rawValue == value)
    }

    @Test(
        "anything else is not a timetoken",
        arguments: [
            "", " ", "+1", "-1", "-0", " 1", "1 ", "1.0", "1e3", "0x1", "1_000", "null", "١", "１",
            "1\u{0}", "1\n", "9223372036854775808", "9999999999999999999", "00000000000000000000",
            "12345678901234567890", "18446744073709551615",
        ])
    func refuses(text: String) {
        #expect(Timetoken(text) == nil)
    }

    @Test("what is written is read back", arguments: UInt64(1)...20)
    func roundTrip(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bits = UInt64.random(in: 1...63, using: &generator)
            let timetoken = Timetoken(rawValue: generator.next() >> (64 - bits))
            #expect(Timetoken(timetoken.description) == timetoken)
        }
    }

    @Test(
        "the successor is the clock, or the next tick when the clock stands or steps back",
        arguments: [
            (0, 0, 1), (5, 9, 9), (5, 6, 6), (5, 5, 6), (5, 4, 6), (5, 0, 6),
            (17_952_187_953_729_261, 17_952_187_953_729_262, 17_952_187_953_729_262),
        ] as [(UInt64, UInt64, UInt64)])
    func successor(last: UInt64, clock: UInt64, next: UInt64) {
        #expect(Timetoken(rawValue: last).successor(at: clock) == Timetoken(rawValue: next))
    }

    @Test("positions compare as numbers, not as texts")
    func order() {
        let nine = Timetoken(rawValue: 9)
        let ten = Timetoken(rawValue: 10)

        #expect(nine < ten)
        #expect(!(ten < nine))
        #expect(Timetoken.zero < nine)
    }
}
