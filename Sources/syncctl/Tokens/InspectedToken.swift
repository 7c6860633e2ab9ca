// What a token says, whether or not anybody would take it.

import EventModel
import JSON

/// A token that was read, and not necessarily checked.
struct InspectedToken {
    enum Kind: String {
        case pubNub = "pubnub"
        case webToken = "jwt"
    }

    enum SignatureState: String {
        case good, bad, unchecked
    }

    /// Rights on one name, or on all that a pattern finds.
    struct Entry {
        /// `channel`, `group` or `user`.
        let kind: String
        let isPattern: Bool
        let name: String
        let rights: [String]
    }

    let kind: Kind
    /// What it says of itself, in order.
    private(set) var facts: [(name: String, value: String)] = []
    private(set) var issued: Int64?
    private(set) var expires: Int64?
    private(set) var entries: [Entry] = []
    private(set) var signature = SignatureState.unchecked

    /// The words for PubNub's bits, from the lowest.
    static let rights = [
        "read", "write", "manage", "delete", "create", "get", "update", "join",
    ]

    /// - Parameters:
    ///   - secretKey: Checks a token of PubNub's kind when there is one.
    ///   - keyset: The tenant's subscribe key, likewise.
    /// - Returns: `nil` for what has neither form.
    init?(_ text: String, secretKey: String?, keyset: String?) {
        if text.contains(".") {
            kind = .webToken
            guard readWebToken(text) else { return nil }
        } else {
            kind = .pubNub
            guard let bytes = URLText.bytes(text), readPubNub(bytes) else { return nil }
            if let secretKey, let keyset {
                let isGood = Signature.isGood(bytes, secretKey: secretKey, keyset: keyset)
                signature = isGood ? .good : .bad
            }
        }
    }

    // MARK: PubNub's kind

    private mutating func readPubNub(_ bytes: [UInt8]) -> Bool {
        guard let token = CBORValue(bytes), case .integer(let issued)? = token["t"],
            case .integer(let minutes)? = token["ttl"]
        else { return false }
        if let user = token["uuid"]?.name { facts.append(("user", user)) }
        self.issued = issued
        let (seconds, isTooLong) = minutes.multipliedReportingOverflow(by: 60)
        expires = isTooLong ? nil : issued.addingReportingOverflow(seconds).partialValue
        for (scope, isPattern) in [("res", false), ("pat", true)] {
            for (key, kind) in [("chan", "channel"), ("grp", "group"), ("uuid", "user")] {
                guard case .map(let members)? = token[scope]?[key] else { continue }
                for (name, bits) in members {
                    guard let name = name.name, case .integer(let bits) = bits else { return false }
                    let rights = Self.rights.indices.filter { bits >> $0 & 1 == 1 }
                    entries.append(
                        Entry(
                            kind: kind, isPattern: isPattern, name: name,
                            rights: rights.map { Self.rights[$0] }))
                }
            }
        }
        return true
    }

    // MARK: JSON Web Tokens

    private mutating func readWebToken(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1])
        else { return false }
        for (claim, name) in [
            ("sub", "user"), ("device", "device"), ("keyset", "keyset"), ("iss", "issuer"),
        ] {
            if let value = claims.member(claim)?.string { facts.append((name, value)) }
        }
        if let audience = claims.member("aud") {
            facts.append(("audience", audience.string ?? audience.compactText))
        }
        for (member, name) in [("alg", "algorithm"), ("kid", "key")] {
            if let value = header.member(member)?.string { facts.append((name, value)) }
        }
        issued = Self.seconds(claims.member("iat"))
        expires = Self.seconds(claims.member("exp"))
        guard let permissions = claims.member("permissions") else { return true }
        read(permissions, isPattern: false)
        if let patterns = permissions.member("patterns") { read(patterns, isPattern: true) }
        return true
    }

    private mutating func read(_ permissions: borrowing JSONValue, isPattern: Bool) {
        for (member, kind) in [("channels", "channel"), ("groups", "group"), ("users", "user")] {
            guard let table = permissions.member(member), table.isObject else { continue }
            for (name, words) in table.members {
                let rights = (0..<(words.isArray ? words.count : 0)).map { index in
                    words.element(at: index).string ?? words.element(at: index).compactText
                }
                entries.append(
                    Entry(kind: kind, isPattern: isPattern, name: name, rights: rights))
            }
        }
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = URLText.bytes(part),
            let value = try? JSONValue(parsing: bytes, depthMax: 16), value.isObject
        else { return nil }
        return value
    }

    private static func seconds(_ value: JSONValue?) -> Int64? {
        value?.number.flatMap { Int64(exactly: $0.rounded(.down)) }
    }
}
