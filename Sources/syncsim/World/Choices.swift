// The one source of chance: every choice of a world comes from here, so a seed names one run.

/// SplitMix64: eight bytes of state, the same sequence on every machine.
///
/// - Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
struct Choices: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return mixed(state)
    }

    /// - Parameter bound: More than 0.
    mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    mutating func between(_ low: Int, _ high: Int) -> Int {
        low + below(high - low + 1)
    }

    /// Microseconds, of any order of magnitude in between: short ones are as likely as long ones.
    mutating func span(_ low: UInt64, _ high: UInt64) -> UInt64 {
        var high = max(low, high)
        while high / 4 > low, chance(50) { high /= 4 }
        return low + UInt64(below(Int(high - low) + 1))
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}

/// A good mix of 64 bits.
func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
}
