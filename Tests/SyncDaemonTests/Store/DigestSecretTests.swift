// Keys from a store's secret: the same in every implementation, another for every channel.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Digest secrets")
struct DigestSecretTests {
    private static let ascending = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        .joined()

    @Test(
        "a key is keyed BLAKE2b of keyset, zero and name",
        arguments: [
            (Channel("room"), "f1a27a461aa0af467a6e7de2fae98d67"),
            (Channel("é", keyset: "k"), "c86b75838b027c19635f5d7c6d8f649e"),
        ])
    func knownKeys(channel: Channel, key: String) throws {
        // From Python: hashlib.blake2b(b"default\0room", key=bytes(range(32)), digest_size=16)
        let secret = try #require(DigestSecret(Self.ascending))
        #expect(secret.key(of: channel).text == key)
    }

    @Test("channels, keysets and secrets have keys of their own")
    func unlikeKeys() {
        var choices = SeededGenerator(seed: 1)
        let secrets = (0..<3).map { _ in DigestSecret.random(using: &choices) }
        let channels = [
            Channel("a"), Channel("b"), Channel("a", keyset: "b"), Channel("", keyset: "a"),
        ]
        let keys = secrets.flatMap { secret in channels.map(secret.key) }
        #expect(Set(keys).count == secrets.count * channels.count)
    }

    @Test("a secret is read as it was written, and nothing else is a secret")
    func text() {
        var choices = SeededGenerator(seed: 2)
        let secret = DigestSecret.random(using: &choices)
        #expect(secret.text.utf8.count == 64)
        #expect(DigestSecret(secret.text) == secret)
        #expect(DigestSecret(Self.ascending)?.text == Self.ascending)
        for text in ["", "00", Self.ascending + "0", Self.ascending.uppercased()] {
            #expect(DigestSecret(text) == nil, "\(text)")
        }
    }
}
