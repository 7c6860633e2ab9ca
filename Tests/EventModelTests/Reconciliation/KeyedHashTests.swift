// SipHash as others compute it.

import Basis
import CSodium
import EventModel
import Testing

@Suite("Keyed hash")
struct KeyedHashTests {
    /// The key of bytes 0 to 15, over the bytes 0 to n - 1.
    ///
    /// - Source: An implementation of its own, from the paper; the first four are also in the
    ///   reference implementation's `vectors_sip128`.
    static let vectors: [(Int, UInt64, UInt64)] = [
        (0, 0xe6a8_25ba_047f_81a3, 0x9302_55c7_1472_f66d),
        (1, 0x44af_996b_d8c1_87da, 0x45fc_229b_1159_7634),
        (2, 0xc75d_a4a4_8d22_7781, 0xe4ff_0af6_de8b_a3fc),
        (3, 0x4ea9_6752_0cb6_709c, 0x51ed_8529_b0b6_335f),
        (15, 0x11a8_b033_99e9_9354, 0xd9c3_cf97_0fec_087e),
        (16, 0xbb54_b067_caa4_e26e, 0x7705_2385_bf15_33fd),
        (63, 0x4a83_502f_77d1_5051, 0x7cbd_3f97_9a06_3e50),
    ]

    @Test("SipHash-2-4-128 gives the reference vectors", arguments: vectors)
    func reference(count: Int, first: UInt64, second: UInt64) throws {
        let key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
        let bytes = (0..<UInt8(count)).map { $0 }

        let hash = bytes.withUnsafeBufferPointer { KeyedHash($0, key: key) }

        #expect(hash.first == first)
        #expect(hash.second == second)
    }

    @Test("what it gives is what libsodium gives", arguments: 0..<200)
    func sodium(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let key = DigestKey.random(using: &generator)
        let bytes = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        var expected = [UInt8](repeating: 0, count: 16)
        crypto_shorthash_siphashx24(&expected, bytes, UInt64(bytes.count), key.bytes)

        let hash = bytes.withUnsafeBufferPointer { KeyedHash($0, key: key) }

        let found = [hash.first, hash.second].flatMap { word in
            withUnsafeBytes(of: word.littleEndian) { Array($0) }
        }
        #expect(found == expected)
    }

    @Test("a key is read and written as the bytes it is made of")
    func keyText() throws {
        let text = "000102030405060708090a0b0c0d0eff"

        #expect(try #require(DigestKey(text)).text == text)
    }

    @Test(
        "any other text is no key",
        arguments: [
            "", "0", "000102030405060708090a0b0c0d0e0", "000102030405060708090a0b0c0d0e0f0",
            "000102030405060708090A0B0C0D0E0F", "+00102030405060708090a0b0c0d0e0f",
            "000102030405060708090a0b0c0d0e0g", "0x0102030405060708090a0b0c0d0e0f", " ",
        ])
    func keyRefusals(text: String) {
        #expect(DigestKey(text) == nil)
        #expect(Digest(text, count: 0) == nil)
    }
}
