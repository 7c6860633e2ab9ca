// What the rule about the strength of secrets looks for.

import EventModel

extension PublicRule {
    /// Different characters of a key that was drawn: 32 hexadecimal digits have fewer once in ten
    /// million draws.
    private static let charactersMin = 8

    /// What people write who mean to come back to it.
    private static let examples = [
        "example", "secret", "password", "changeme", "default", "syncdaemon", "123456", "qwerty",
        "abcdefgh",
    ]

    /// Bytes of a key that are looked at for repetitions: longer ones repeat themselves by chance.
    private static let repetitionBytes = 256

    static func weakSecrets(_ configuration: Configuration) -> [PublicFinding] {
        let keysets = configuration.namedKeysets
        return keysets.enumerated().flatMap { index, named in
            weakSecretKeys(of: named, after: keysets[..<index], configuration)
                + weakWebKeys(of: named, configuration)
        }
    }

    private static func weakSecretKeys(
        of named: NamedKeyset, after others: ArraySlice<NamedKeyset>,
        _ configuration: Configuration
    ) -> [PublicFinding] {
        let keys = [
            ("secret_key", named.keyset.secretKey),
            ("secret_key_previous", named.keyset.previousSecretKey),
        ]
        return keys.compactMap { name, key -> PublicFinding? in
            guard let key else { return nil }
            let text: String
            if let flaw = flaw(of: Array(key.utf8)) {
                text = "\(flaw): whoever has a token can try keys until one fits."
            } else if let other = others.first(where: { $0.keyset.secretKeys.contains(key) }) {
                text = "is one of [keyset \(other.name)], too: whoever has it there has it here."
            } else {
                return nil
            }
            return configuration.finding(
                of: named, at: [name, name + "_file"],
                "the \(name) of [keyset \(named.name)] \(text) Draw one: head -c 32 /dev/urandom |"
                    + " base64")
        }
    }

    private static func weakWebKeys(
        of named: NamedKeyset, _ configuration: Configuration
    ) -> [PublicFinding] {
        guard let text = named.keyset.webKeys, let keys = try? JSONWebKeySet(text) else {
            return []
        }
        return keys.sharedSecrets.compactMap { secret -> PublicFinding? in
            guard let flaw = flaw(of: secret) else { return nil }
            return configuration.finding(
                of: named, at: ["jwks_file"],
                "a shared key (oct) in the jwks_file of [keyset \(named.name)] \(flaw): whoever has"
                    + " a token can try keys until one fits. Draw its k: head -c 32 /dev/urandom |"
                    + " basenc --base64url | tr -d =")
        }
    }

    /// Why somebody could guess a secret; says nothing of what stands in it.
    private static func flaw(of key: [UInt8]) -> String? {
        if key.count < Limits.sharedKeyBytesMin {
            return "has fewer than \(Limits.sharedKeyBytesMin) bytes"
        }
        // Whatever somebody put between the words.
        let text = String(decoding: key, as: UTF8.self).lowercased()
            .filter { $0.isLetter || $0.isNumber }
        if examples.contains(where: { text.contains($0) }) { return "looks like an example" }
        if Set(key).count < charactersMin { return "is made of very few characters" }
        return repeatsItself(Array(key.prefix(repetitionBytes))) ? "repeats itself" : nil
    }

    /// Whether a third of what stands in three bytes running stands there a second time.
    ///
    /// Of 32 drawn hexadecimal digits that is not so in any number of draws; of a phrase that is
    /// written twice it is.
    private static func repeatsItself(_ key: [UInt8]) -> Bool {
        let all = key.indices.dropLast(2)
        let different = Set(all.map { Array(key[$0..<$0 + 3]) })
        return different.count * 3 < all.count * 2
    }
}
