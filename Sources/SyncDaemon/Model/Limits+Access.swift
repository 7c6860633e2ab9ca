// The bounds of tokens: what they may hold, what they may cost, and how many are remembered.

import EventModel

extension Limits {
    /// Minutes that a token of PubNub's kind may be good for, 30 days; over it: it is not made.
    static let tokenMinutesMax = 43_200
    /// Seconds that a token or a signed request may be from the future, and the latter from the
    /// past: what clocks may differ; over it: it is refused.
    static let accessSkewSeconds = 60
    /// Patterns in one token; over it: it is refused, or not made.
    static let patternsPerTokenMax = 256
    /// UTF-8 bytes of a pattern; over it: its token is refused, or not made.
    static let accessPatternBytesMax = 512
    /// States that a pattern may come to, and what may stand between `{` and `}`; as above.
    static let accessPatternStatesMax = 1000
    /// States of all patterns of one token; as above.
    static let tokenStatesMax = 4000
    /// Steps of about ten nanoseconds that a token's patterns may take for one command or request,
    /// and as many more for each name in it; over it: `forbidden`.
    static let accessStepsMin = 600_000
    static let accessStepsPerName = 4000
    /// Levels of groups in a pattern; as above.
    static let accessPatternDepthMax = 32
    /// Keys in a JSON Web Key Set; over it: the set is refused.
    static let webKeysMax = 16
    /// Bytes of a JSON Web Key Set; over it: it is refused.
    static let webKeySetBytesMax = 64 * 1024
    /// Bytes of a shared secret in it, at least; under it: the set is refused.
    static let sharedKeyBytesMin = 32
    /// Bits of an RSA key in it; under or over it: the set is refused.
    static let rsaBitsMin = 2048
    static let rsaBitsMax = 4096
    /// Keys of one tenant's own servers; over it: their file is refused.
    static let serverKeysMax = 64
    /// Characters of such a key; under or over it: likewise.
    static let serverKeyBytesMin = 32
    static let serverKeyBytesMax = 256
    /// Good tokens that a reactor remembers, so that they need not be checked with each request;
    /// over it: those go that were not shown for longest.
    static let checkedTokensMax = 2000
    /// Bytes that they take, with what they allow, roughly; likewise.
    static let checkedTokenBytesMax = 8 * 1024 * 1024
    /// Revoked tokens of one tenant whose time is not over; over it: no further one is revoked.
    static let revokedTokensMax = 100_000
    /// Grants of version 2 of one tenant, each for one name and one auth key, whose time is not
    /// over; over it: no further one is made.
    static let keyGrantsMax = 50_000
    /// Grants of all tenants, of which no tenant has more than is free; over it: the same.
    static let keyGrantsOfAllMax = 500_000
    /// Grants that one request of version 2 makes: its names times its auth keys; over it: it is
    /// refused.
    static let keyGrantsPerRequestMax = 200
    /// Grants of version 2 that one audit shows; over it: it is refused.
    static let keyGrantsPerAuditMax = 2000
    /// UTF-8 bytes of an auth key; over it: it is not granted anything.
    static let authKeyBytesMax = 256
    /// Minutes that a grant of version 2 may stand, a year, unless it has no end; over it: it is
    /// not made.
    static let keyGrantMinutesMax = 525_600
    /// The same of one that says nothing of its end: a day.
    static let keyGrantMinutesDefault = 1440
}
