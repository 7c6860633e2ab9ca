// Sums that stop at the ends of their type.

import Testing

@testable import Basis

@Suite("Clamped sums")
struct ClampedSumTests {
    @Test(
        "they are the sums, or the end that these are beyond",
        arguments: [
            (1, 2, 3, -1), (-1, 2, 1, -3), (Int.max, 0, Int.max, Int.max),
            (Int.min, 0, Int.min, Int.min), (Int.max, 1, Int.max, Int.max - 1),
            (Int.max, -1, Int.max - 1, Int.max), (Int.min, -1, Int.min, Int.min + 1),
            (Int.min, 1, Int.min + 1, Int.min), (Int.max, Int.max, Int.max, 0),
            (Int.min, Int.min, Int.min, 0), (Int.max, Int.min, -1, Int.max),
            (Int.min, Int.max, -1, Int.min), (0, Int.min, Int.min, Int.max),
        ] as [(Int, Int, Int, Int)])
    func sums(number: Int, other: Int, sum: Int, difference: Int) {
        #expect(number.addingClamped(other) == sum)
        #expect(number.subtractingClamped(other) == difference)
    }
}
