// Everything that a tenant's tokens are checked with, of whichever kind they are.

/// The keys of one tenant: the way from a token's text to a grant.
struct AccessKeys: Hashable, Sendable {
    /// The tenant's subscribe key.
    let tenant: String
    /// For PubNub's kind; two while a secret key is being replaced, none without one.
    var tokenKeys: [AccessTokenKey] = []
    /// For JSON Web Tokens; `nil` takes none.
    var webKeys: JSONWebKeySet?
    /// What `iss` and `aud` have to be; `nil` takes any.
    var issuer: String?
    var audience: String?

    init(tenant: String) {
        self.tenant = tenant
    }

    /// Reads and checks a token.
    ///
    /// - Parameters:
    ///   - token: As the client sent it; `nil` or empty from who sent none.
    ///   - now: Unix seconds.
    /// - Throws: Any refusal but `wrongUser` and `notPermitted`, which the grant is asked for.
    /// - Complexity: See docs/ACCESS.md for what it costs; who asks often keeps the grant.
    func grant(
        for token: String?, revoked: Revocations = Revocations(), at now: Int64
    ) throws(AccessRefusal) -> Grant {
        guard let token, !token.isEmpty else { throw .missing }
        let grant: Grant
        // Base64url has no dot, and a JSON Web Token has two.
        if token.utf8.contains(UInt8(ascii: ".")) {
            guard let webKeys else { throw .badSignature }
            let rules = JSONWebTokenRules(tenant: tenant, issuer: issuer, audience: audience)
            grant = try JSONWebToken.grant(for: token, keys: webKeys, rules: rules, at: now)
        } else {
            grant = try AccessToken.grant(for: token, tenant: tenant, keys: tokenKeys, at: now)
        }
        guard !revoked.contains(grant.id, of: grant.tenant) else { throw .revoked }
        return grant
    }
}
