// What a token lets somebody do, as bits: PubNub's eight, and the finer ones of our own.

/// Things that may be done to a channel, a group or a user.
///
/// The first eight are PubNub's, with PubNub's values. Those behind them divide what PubNub has one
/// word for: a JSON Web Token names each by itself, and a token with PubNub's bits gets them by
/// ``init(pubNub:)``. An operation asks for one right; no right implies another.
struct Rights: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Follow what happens from now on, and repair what is shown of it.
    static let read = Rights(rawValue: 1)
    /// Publish messages and signals.
    static let write = Rights(rawValue: 2)
    /// Change the members of a group, or who is a member of a channel.
    static let manage = Rights(rawValue: 4)
    /// Delete messages, and take back one's own reactions.
    static let delete = Rights(rawValue: 8)
    static let create = Rights(rawValue: 16)
    /// Read the metadata of a channel or a user.
    static let get = Rights(rawValue: 32)
    /// Write them.
    static let update = Rights(rawValue: 64)
    /// Make oneself a member of a channel.
    static let join = Rights(rawValue: 128)
    /// Add reactions, and take back one's own.
    static let react = Rights(rawValue: 256)
    /// Read messages and reactions of the past, and count them.
    static let history = Rights(rawValue: 512)
    /// See who is there, and be seen with a state; also the channel `NAME-pnpres`.
    static let presence = Rights(rawValue: 1024)
    /// Remove what others have written, reactions included.
    static let moderate = Rights(rawValue: 2048)
    /// Take back one's own reactions; comes with ``react`` and ``delete`` in a JSON Web Token, with
    /// PubNub's DELETE, and with WRITE in a token that names its user.
    static let unreact = Rights(rawValue: 4096)

    /// The rights that PubNub's bits stand for.
    ///
    /// WRITE is publishing and reacting, READ is following, history and presence, and DELETE, which
    /// with PubNub removes anybody's messages and reactions, is moderating too. What a backend
    /// granted there it has granted here, no more and no less.
    init(pubNub bits: UInt8) {
        var rights = Rights(rawValue: UInt16(bits))
        if rights.contains(.read) { rights.formUnion([.history, .presence]) }
        if rights.contains(.write) { rights.insert(.react) }
        if rights.contains(.delete) { rights.formUnion([.moderate, .unreact]) }
        self = rights
    }

    /// The words of a JSON Web Token, in the order of the bits.
    static let words: [(word: String, right: Rights)] = [
        ("read", .read), ("write", .write), ("manage", .manage), ("delete", [.delete, .unreact]),
        ("create", .create), ("get", .get), ("update", .update), ("join", .join),
        ("react", [.react, .unreact]), ("history", .history), ("presence", .presence),
        ("moderate", .moderate),
    ]

    /// The words for these, as who lacks them asks for them.
    var missingWords: [String] {
        // Either of two words brings it.
        if self == .unreact { return ["react or delete"] }
        return Self.words.filter { contains($0.right.subtracting(.unreact)) }.map(\.word)
    }

    /// The right that a word stands for, byte for byte; `nil` for any other word.
    init?(word: String) {
        let entry = Self.words.first { $0.word.utf8.elementsEqual(word.utf8) }
        guard let entry else { return nil }
        self = entry.right
    }
}
