// What a fuzzer runs: one reader of hostile bytes, and what has to be true of all that it reads.

import Basis

/// A reader under fuzz.
///
/// A new one is a file with its `check`, a row in ``all``, and a folder in `Tests/Fuzz/corpus`.
public struct FuzzTarget: Sendable {
    /// As `make fuzz` and the folder of its corpus have it.
    public let name: String
    /// Bytes of an input at most: beyond what it takes to reach everything, more only costs time.
    public let bytesMax: Int
    private let body: @Sendable ([UInt8]) throws(Finding) -> Void

    init(
        _ name: String, bytesMax: Int,
        _ body: @escaping @Sendable ([UInt8]) throws(Finding) -> Void
    ) {
        self.name = name
        self.bytesMax = bytesMax
        self.body = body
    }

    /// Reads one input; the same input always comes to the same.
    ///
    /// - Throws: What is not as it has to be; crashes where the reader does.
    public func check(_ bytes: [UInt8]) throws(Finding) {
        guard bytes.count <= bytesMax else { return }
        try body(bytes)
    }

    public static let all = [
        FuzzTarget("http", bytesMax: 4096, HTTPFuzz.check),
        FuzzTarget("target", bytesMax: 2048, TargetFuzz.check),
        FuzzTarget("body", bytesMax: 2048, BodyFuzz.check),
        FuzzTarget("form", bytesMax: 4096, FormFuzz.check),
        FuzzTarget("command", bytesMax: 2048, CommandFuzz.check),
        FuzzTarget("frames", bytesMax: 2048, FrameFuzz.check),
        FuzzTarget("filter", bytesMax: 1024, FilterFuzz.check),
        FuzzTarget("token", bytesMax: 1024, TokenFuzz.check),
        FuzzTarget("jwt", bytesMax: 2048, WebTokenFuzz.check),
        FuzzTarget("jwks", bytesMax: 4096, KeySetFuzz.check),
        FuzzTarget("symbols", bytesMax: 2048, SymbolFuzz.check),
        FuzzTarget("proxy", bytesMax: 400, ProxyFuzz.check),
        FuzzTarget("pattern", bytesMax: 700, PatternFuzz.check),
    ]

    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// What a reader did that it must not.
public struct Finding: Error, CustomStringConvertible {
    public let description: String
}

func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    guard isSo else { throw Finding(description: what()) }
}

extension [UInt8] {
    /// Chance that depends on nothing but the input.
    var choices: SeededGenerator {
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return SeededGenerator(seed: hash)
    }

    /// The same bytes in pieces, mostly of a byte or two.
    func pieces(_ choices: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let most = choices.chance(70) ? 3 : rest.count
            let count = 1 + choices.below(Swift.min(most, rest.count))
            pieces.append([UInt8](rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// Parts that a separator divides, at most so many; the last has the rest.
    func parts(_ countMax: Int, at separator: UInt8 = UInt8(ascii: "\n")) -> [[UInt8]] {
        split(separator: separator, maxSplits: countMax - 1, omittingEmptySubsequences: false)
            .map { [UInt8]($0) }
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
