// In which coded symbols an item is: the random jumps that make a rateless IBLT.
//
// - Source: Yang, Gilad, Alizadeh, "Practical Rateless Set Reconciliation", SIGCOMM 2024
//   (arXiv 2402.02668), section 4.2, with α = 0.5.
//
// Symbol i holds an item with probability ρ(i) = 1 / (1 + i / 2), independently for each i. Then an
// item of symbol i is in none of i + 1 ... j with probability
//
//     S(j) = Π k / (k + 2), k = i + 1 ... j, = (i + 1)(i + 2) / ((j + 1)(j + 2)),
//
// and inversion samples the next index: with u uniform in (0, 1) it is the smallest j with
// S(j) <= u, which solves to
//
//     j = ⌈√((i + 1)(i + 2) / u + 1/4) - 3/2⌉.
//
// This is the exact law; the paper rounds it. u = (r + 1/2) / 2^32 with r from xoroshiro64**, so
// that j > i always. Every step is 32-bit integer arithmetic or correctly rounded IEEE 754 division
// and square root, hence the same in every language, JavaScript's numbers included.

/// The ascending indices of one item's symbols, starting with 0.
struct SymbolMapping {
    private(set) var index = 0
    private var state: (UInt32, UInt32)

    /// - Parameter seed: Uniformly random: 64 bits of the item's keyed hash.
    init(seed: UInt64) {
        state = (UInt32(truncatingIfNeeded: seed), UInt32(truncatingIfNeeded: seed >> 32))
    }

    /// Moves to the next index.
    ///
    /// Below 2^24 the next index is below 2^41, so no conversion here can trap.
    @inline(__always)
    mutating func advance() {
        let uniform = (Double(draw()) + 0.5) / 4_294_967_296
        let here = Double(index)
        let next = ((here + 1) * (here + 2) / uniform + 0.25).squareRoot() - 1.5
        // Rounding up by hand: `rounded(.up)` is a call into libm on plain x86-64.
        let below = Int(next)
        index = Double(below) < next ? below + 1 : below
    }

    /// xoroshiro64**.
    ///
    /// - Source: Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021.
    @inline(__always)
    private mutating func draw() -> UInt32 {
        let (low, high) = (state.0, state.0 ^ state.1)
        let result = rotated(low &* 0x9E37_79BB, by: 5) &* 5
        state = (rotated(low, by: 26) ^ high ^ (high << 9), rotated(high, by: 13))
        return result
    }

    @inline(__always)
    private func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
