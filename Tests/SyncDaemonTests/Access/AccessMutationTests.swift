// Tokens that somebody changed: none of them is good.

import Basis
import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Access with mutated tokens")
struct AccessMutationTests {
    /// Mutations of each kind: 5,000, or what `ACCESS_MUTATIONS` says.
    private static let count =
        ProcessInfo.processInfo.environment["ACCESS_MUTATIONS"].flatMap { Int($0) } ?? 5000
    private static let seed =
        ProcessInfo.processInfo.environment["ACCESS_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("no mutated token is good", arguments: AccessSamples.good.map(\.kind))
    func mutations(kind: String) throws {
        let keys = try AccessSamples.keys()
        let token = try #require(AccessSamples.good.first { $0.kind == kind }?.token)
        let others = AccessSamples.good.map(\.token) + [try Self.second()]
        #expect(keys.refusal(of: token) == nil)
        var mutator = TokenMutator(token: token, others: others, seed: Self.seed)
        var refusals: [AccessRefusal: Int] = [:]

        for number in 0..<Self.count {
            let mutated = mutator.next()
            guard let refusal = keys.refusal(of: mutated) else {
                Issue.record("accepted: mutation \(number), seed \(Self.seed): \(mutated)")
                return
            }
            refusals[refusal, default: 0] += 1
        }

        // Some got as far as the signature, which is what holds them up.
        #expect(refusals[.garbage, default: 0] > 0)
        #expect(refusals[.badSignature, default: 0] > Self.count / 10)
        #expect(refusals.keys.allSatisfy { [.garbage, .badSignature, .missing].contains($0) })
    }

    /// Another good token of PubNub's kind, which says other things.
    private static func second() throws -> String {
        var token = AccessToken(issued: AccessSamples.now, minutes: 60)
        token.resources.channels = [ExactText("private"): 255]
        token.user = ExactText("mallory")
        return try token.text(
            signedWith: AccessTokenKey(
                secretKey: AccessSamples.secret, subscribeKey: AccessSamples.tenant))
    }
}

/// Changes a token in one of many ways, from one seed.
private struct TokenMutator {
    let token: String
    /// What is good, and is no mutation when it comes out.
    let others: [String]
    private var chance: SeededGenerator

    init(token: String, others: [String], seed: UInt64) {
        self.token = token
        self.others = others
        chance = SeededGenerator(seed: seed)
    }

    mutating func next() -> String {
        while true {
            let mutated = candidate()
            if !others.contains(mutated) { return mutated }
        }
    }

    private mutating func candidate() -> String {
        switch chance.below(8) {
        case 0: return text { flip(&$0, in: &$1) }
        case 1: return String(token.prefix(chance.below(token.count)))
        case 2:
            return text { bytes, chance in
                bytes.swapAt(
                    chance.below(bytes.count), chance.below(bytes.count))
            }
        case 3:
            let other = chance.pick(others)
            return String(token.prefix(chance.below(token.count)))
                + String(other.suffix(chance.below(other.count)))
        case 4: return parts { flip(&$0, in: &$1) }
        case 5:
            return parts { bytes, chance in
                let index = chance.below(bytes.count)
                switch chance.below(3) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(UInt8(chance.below(256)), at: index)
                default: bytes[index] = UInt8(chance.below(256))
                }
            }
        case 6: return spelling()
        default:
            // Two changes, the second of which could undo what the first is noticed by.
            return parts { bytes, chance in
                flip(&bytes, in: &chance)
                flip(&bytes, in: &chance)
            }
        }
    }

    /// Changes the letters of the token.
    private mutating func text(_ change: (inout [UInt8], inout SeededGenerator) -> Void) -> String {
        var bytes = Array(token.utf8)
        change(&bytes, &chance)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Changes the bytes of one part of the token, and encodes them anew.
    private mutating func parts(
        _ change: (inout [UInt8], inout SeededGenerator) -> Void
    ) -> String {
        var parts = token.split(separator: ".").map(String.init)
        let isPadded = parts.count == 1
        let index = chance.below(parts.count)
        guard var bytes = Base64URL.bytes(parts[index], isPadded: isPadded) else { return "" }
        change(&bytes, &chance)
        parts[index] = Base64URL.text(bytes, isPadded: isPadded)
        return parts.joined(separator: ".")
    }

    /// Writes the same in another way.
    private mutating func spelling() -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        switch chance.below(6) {
        case 0: return token + String(repeating: "=", count: 1 + chance.below(3))
        case 1: return token.hasSuffix("=") ? token.replacing("=", with: "") : token + "A"
        case 2: return parts.reversed().joined(separator: "..")
        case 3: return chance.pick([" ", "\n", "%3D", "\u{0}", "."]) + token
        case 4: return token + chance.pick([" ", "\n", "%3D", "\u{0}", ".", ".AA"])
        default:
            return ["{\"alg\":\"none\"}", "{\"alg\":\"HS256\",\"kid\":\"r\"}"].map {
                Base64URL.text(Array($0.utf8), isPadded: false)
            }[chance.below(2)] + "." + parts.dropFirst().joined(separator: ".")
        }
    }
}

private func flip(_ bytes: inout [UInt8], in chance: inout SeededGenerator) {
    bytes[chance.below(bytes.count)] ^= 1 << UInt8(chance.below(8))
}
