// What a backend grants by version 2 of PubNub's Access Manager, which makes no token of it.

import EventModel

/// What a grant of version 2 is for; a later one for the same takes its place.
struct KeyGrantSubject: Hashable, Sendable {
    /// The raw values are stored: append, never renumber.
    enum Level: Int64, Hashable, Sendable {
        /// All that the tenant has.
        case keyset = 0
        case channel = 1
        case group = 2
    }

    /// The tenant's subscribe key.
    let keyset: ExactText
    let level: Level
    /// Of a channel, a wildcard or a group; empty for the whole keyset.
    let name: ExactText
    /// Who shows it may do what is granted; `nil`: everybody may.
    let authKey: ExactText?
}

/// Rights that stand in the daemon, until they are replaced, taken back or over.
struct KeyGrant: Hashable, Sendable {
    let subject: KeyGrantSubject
    /// PubNub's, as ``Rights/init(pubNub:)`` has them; 0 takes back what was granted.
    let bits: UInt8
    /// Unix seconds; from then on it is worth nothing.
    let expiry: Int64

    /// The expiry of what has no end.
    static let never = Int64.max

    /// PubNub's letters for the bits, in the order in which it writes them.
    static let letters: [(letter: StaticString, bit: UInt8)] = [
        ("r", 1), ("w", 2), ("m", 4), ("d", 8), ("g", 32), ("u", 64), ("j", 128),
    ]

    /// All bits that have a letter.
    static let allBits: UInt8 = letters.reduce(0) { $0 | $1.bit }
}

/// An auth key as the daemon looks for it: SHA-256, so that no comparison takes longer the more of
/// a guess is right.
struct AuthKeyID: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    init(_ key: ExactText) {
        let hash = Signing.hash(Array(key.string.utf8))
        var words = SIMD4<UInt64>()
        for (index, byte) in hash.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// 64 hexadecimal digits.
    var text: String {
        words.indices.map { Hexadecimal.text(words[$0]) }.joined()
    }

    /// Reads what ``text`` says; `nil` for anything else.
    init?(text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 64 else { return nil }
        var words = SIMD4<UInt64>()
        for index in words.indices {
            guard let word = Hexadecimal.word(bytes[16 * index..<16 * (index + 1)]) else {
                return nil
            }
            words[index] = word
        }
        self.words = words
    }
}

/// Somebody who showed an auth key, or nothing where something is granted to everybody.
///
/// It says who, and not what they may do: that is looked up at each operation.
struct AuthKeyBearer: Sendable {
    let tenant: ExactText
    /// `nil` when no grant names what was shown: then only what everybody may do is open.
    let key: AuthKeyID?
    /// What was taken from it so far when it was shown.
    var mark = KeyGrantTable.Mark()
    /// Unix seconds; when the first of the grants ends that what is open rests on.
    var end = KeyGrant.never
}

extension AuthKeyBearer: Hashable {
    /// Whoever shows the same is the same, whatever became of the grants meanwhile.
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.tenant == rhs.tenant && lhs.key == rhs.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(tenant)
        hasher.combine(key)
    }
}

/// Which grants a backend asks to be shown.
struct KeyGrantQuery: Hashable, Sendable {
    /// Without channels and groups: all.
    var channels: [String] = []
    var groups: [String] = []
    /// None: everybody's, and those of all keys.
    var authKeys: [String] = []
}
