// The one source of chance: every choice of a world comes from here, so a seed names one run.

import Basis

extension SeededGenerator {
    mutating func between(_ low: Int, _ high: Int) -> Int {
        low + below(high - low + 1)
    }

    /// Microseconds, of any order of magnitude in between: short ones are as likely as long ones.
    mutating func span(_ low: UInt64, _ high: UInt64) -> UInt64 {
        var high = max(low, high)
        while high / 4 > low, chance(50) { high /= 4 }
        return low + UInt64(below(Int(high - low) + 1))
    }
}
