// PubNub's kind of token: what stands in it, and what it comes to.

import EventModel

/// An Access Manager v3 token, as SDKs parse it.
///
/// - Source: PubNub's SDKs; their `parseToken` reads what ``text(signedWith:)`` makes.
struct AccessToken: Hashable, Sendable {
    /// Unix seconds.
    var issued: Int64
    /// How long it is good for; 1 to ``Limits/tokenMinutesMax``.
    var minutes: Int64
    var resources = AccessScopes()
    /// By pattern instead of name.
    var patterns = AccessScopes()
    /// The backend's own notes, which the daemon passes on and never reads.
    var meta: [ExactText: MetaValue] = [:]
    /// Who may use it; `nil` for whoever has it.
    var user: ExactText?

    enum MetaValue: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case null
    }

    /// Unix seconds; cannot overflow with what ``read(_:)`` and ``check()`` let pass.
    var expiry: Int64 { issued + minutes * 60 }

    /// What it allows.
    ///
    /// - Throws: `tooMany`, `pattern` or `patternsTooLarge`.
    func permissions() throws(GrantError) -> Permissions {
        var builder = PermissionBuilder()
        builder.hasUser = user != nil
        return Permissions(
            channels: try builder.table(resources.channels, patterns.channels),
            groups: try builder.table(resources.groups, patterns.groups),
            users: try builder.table(resources.users, patterns.users))
    }
}

/// PubNub's bits by name, for each kind of thing.
struct AccessScopes: Hashable, Sendable {
    var channels: [ExactText: UInt8] = [:]
    var groups: [ExactText: UInt8] = [:]
    /// PubNub's `uuid`.
    var users: [ExactText: UInt8] = [:]
    /// PubNub's `spc` and `usr`, which SDKs repeat for old servers and which grant nothing.
    var spaces: [ExactText: UInt8] = [:]
    var legacyUsers: [ExactText: UInt8] = [:]

    typealias Path = any WritableKeyPath<Self, [ExactText: UInt8]> & Sendable

    /// In the order in which they stand in a token.
    static let keys: [(key: String, path: Path)] = [
        ("chan", \.channels), ("grp", \.groups), ("spc", \.spaces), ("usr", \.legacyUsers),
        ("uuid", \.users),
    ]
}

/// Why a token is not made; for who grants it.
enum GrantError: Error, Hashable, Sendable, CustomStringConvertible {
    case minutes
    case tooLarge
    case tooManyPatterns
    case patternsTooLarge
    case pattern(String, AccessPatternError)

    var description: String {
        switch self {
        case .minutes: "Range should be 1 to \(Limits.tokenMinutesMax) minute(s)."
        case .tooLarge: "The token would have more than \(Limits.tokenBytesMax) bytes."
        case .tooManyPatterns: "A token has at most \(Limits.patternsPerTokenMax) patterns."
        case .patternsTooLarge:
            "The patterns of a token come to at most \(Limits.tokenStatesMax) states together."
        case .pattern(let text, let error): "The pattern \"\(text)\": \(error)"
        }
    }
}

/// Compiles patterns, and counts what all of a token's cost.
struct PermissionBuilder {
    /// Whether the token names its user: only then is known whose reactions are one's own.
    var hasUser = false
    private var patterns = 0
    private var states = 0

    mutating func pattern(_ text: String) throws(GrantError) -> AccessPattern {
        patterns += 1
        guard patterns <= Limits.patternsPerTokenMax else { throw .tooManyPatterns }
        let pattern: AccessPattern
        do throws(AccessPatternError) {
            pattern = try AccessPattern(text)
        } catch {
            throw .pattern(text, error)
        }
        states += pattern.size
        guard states <= Limits.tokenStatesMax else { throw .patternsTooLarge }
        return pattern
    }

    mutating func table(
        _ names: [ExactText: UInt8], _ patterns: [ExactText: UInt8]
    ) throws(GrantError) -> PermissionTable {
        var compiled: [(pattern: AccessPattern, rights: Rights)] = []
        // In one order on every machine.
        for (text, bits) in patterns.sorted(by: { $0.key < $1.key }) {
            compiled.append((try pattern(text.string), rights(bits)))
        }
        return PermissionTable(exact: names.mapValues(rights), patterns: compiled)
    }

    private func rights(_ bits: UInt8) -> Rights {
        let rights = Rights(pubNub: bits)
        return hasUser && rights.contains(.react) ? rights.union(.unreact) : rights
    }
}
