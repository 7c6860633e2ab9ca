// What the claims of a JSON Web Token say: docs/ACCESS.md has their shape.

import EventModel
import JSON

/// The claims of a token with a good signature.
struct JSONWebClaims {
    private let claims: JSONValue

    /// Seconds beyond which no time can be told from another; doubles are exact below.
    private static let secondsMax = Double(1 << 40)

    init(_ claims: JSONValue) {
        self.claims = claims
    }

    /// - Throws: `garbage`, `wrongTenant`, `expired` or `notYet`.
    func check(_ rules: JSONWebTokenRules, at now: Int64) throws(AccessRefusal) {
        guard let tenant = try text("keyset") else { throw .garbage }
        guard Self.equal(tenant, rules.tenant) else { throw .wrongTenant }
        if let issuer = rules.issuer {
            guard let claim = try text("iss"), Self.equal(claim, issuer) else {
                throw .wrongTenant
            }
        }
        if let audience = rules.audience {
            guard try audiences().contains(where: { Self.equal($0, audience) }) else {
                throw .wrongTenant
            }
        }
        guard now < (try expiry()) else { throw .expired }
        let latest = Double(now) + Double(Limits.accessSkewSeconds)
        for name in ["nbf", "iat"] {
            if let time = try seconds(name), time > latest { throw .notYet }
        }
    }

    func user() throws(AccessRefusal) -> ExactText {
        guard let user = try text("sub"), !user.isEmpty else { throw .garbage }
        return ExactText(user)
    }

    func device() throws(AccessRefusal) -> ExactText? { try text("device").map { ExactText($0) } }

    /// Unix seconds; a fraction is cut off.
    func expiry() throws(AccessRefusal) -> Int64 {
        guard let seconds = try seconds("exp") else { throw .garbage }
        return Int64(seconds)
    }

    /// Nothing is allowed without the claim.
    func permissions() throws(AccessRefusal) -> Permissions {
        guard claims.has("permissions") else { return Permissions() }
        guard let value = claims.member("permissions"), value.isObject else { throw .garbage }
        let known: Set = ["channels", "groups", "users", "patterns"]
        guard value.memberNames.allSatisfy(known.contains) else { throw .garbage }
        let patterns = value.member("patterns")
        guard patterns?.isObject ?? !value.has("patterns"),
            patterns?.memberNames.allSatisfy({ known.contains($0) && $0 != "patterns" }) ?? true
        else { throw .garbage }
        var builder = PermissionBuilder()
        func table(_ name: String) throws(AccessRefusal) -> PermissionTable {
            var compiled: [(pattern: AccessPattern, rights: Rights)] = []
            for (text, rights) in try Self.entries(patterns, name) {
                guard let pattern = try? builder.pattern(text) else { throw .garbage }
                compiled.append((pattern, rights))
            }
            let exact = try Self.entries(value, name).map { (ExactText($0.name), $0.rights) }
            // The parser refuses names that are there twice.
            return PermissionTable(
                exact: Dictionary(exact, uniquingKeysWith: { first, _ in first }),
                patterns: compiled)
        }
        return Permissions(
            channels: try table("channels"), groups: try table("groups"),
            users: try table("users"))
    }

    /// `{"name": ["read", …], …}`; none when it is not there.
    private static func entries(
        _ value: JSONValue?, _ name: String
    ) throws(AccessRefusal) -> [(name: String, rights: Rights)] {
        guard let value, value.has(name) else { return [] }
        guard let object = value.member(name), object.isObject else { throw .garbage }
        var entries: [(name: String, rights: Rights)] = []
        for (name, words) in object.members {
            guard words.isArray else { throw .garbage }
            var rights: Rights = []
            for index in 0..<words.count {
                // A word that nobody knows is refused: it may be one that is misspelt.
                guard let right = words.element(at: index).string.flatMap(Rights.init(word:)) else {
                    throw .garbage
                }
                rights.insert(right)
            }
            entries.append((name, rights))
        }
        return entries
    }

    private func audiences() throws(AccessRefusal) -> [String] {
        guard let claim = claims.member("aud") else { return [] }
        if let audience = claim.string { return [audience] }
        guard claim.isArray else { throw .garbage }
        var audiences: [String] = []
        for index in 0..<claim.count {
            guard let audience = claim.element(at: index).string else { throw .garbage }
            audiences.append(audience)
        }
        return audiences
    }

    /// A claim that is a text, if it is there; `null` is none.
    private func text(_ name: String) throws(AccessRefusal) -> String? {
        guard claims.has(name) else { return nil }
        guard let text = claims.member(name)?.string, !text.utf8.contains(0) else {
            throw .garbage
        }
        return text
    }

    /// A claim that is a time, if it is there.
    private func seconds(_ name: String) throws(AccessRefusal) -> Double? {
        guard claims.has(name) else { return nil }
        guard let seconds = claims.member(name)?.number, seconds >= 0, seconds <= Self.secondsMax
        else { throw .garbage }
        return seconds
    }

    private static func equal(_ one: String, _ other: String) -> Bool {
        ExactText(one) == ExactText(other)
    }
}
