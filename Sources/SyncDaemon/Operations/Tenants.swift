// The tenants as a reactor knows them now: a reload puts others in their place.

import EventModel

/// One for all who ask on a reactor's thread, to which it is confined.
final class Tenants {
    private(set) var keysets: Keysets
    /// What tokens are checked with, by subscribe key; only of tenants that ask for one.
    private var keys: [String: AccessKeys] = [:]
    /// What the tenants' own servers show, likewise.
    private var serverKeys: [String: ServerKeys] = [:]
    /// What each has and may have, over all reactors.
    let accounts: Accounts

    /// Which tokens were taken back.
    let revocations: Revocations
    /// What is granted to whom by version 2.
    let keyGrants: KeyGrants
    /// Good with these keys.
    private var checked = CheckedTokens()

    /// Where it is noted who was not let in.
    let audit: Audit

    init(
        _ keysets: Keysets = Keysets(), revocations: Revocations = Revocations(),
        keyGrants: KeyGrants = KeyGrants(), accounts: Accounts = Accounts(), audit: Audit = Audit()
    ) {
        self.keysets = keysets
        self.audit = audit
        self.revocations = revocations
        self.keyGrants = keyGrants
        self.accounts = accounts
        accounts.apply(keysets)
        keys = Self.keys(of: keysets)
        serverKeys = Self.serverKeys(of: keysets)
    }

    /// Takes other tenants.
    ///
    /// - Returns: Those whose tokens are checked otherwise now.
    func replace(with keysets: Keysets) -> Set<String> {
        self.keysets = keysets
        accounts.apply(keysets)
        let (before, serverKeysBefore) = (keys, serverKeys)
        keys = Self.keys(of: keysets)
        serverKeys = Self.serverKeys(of: keysets)
        checked.forgetAll()
        return Set(before.keys).union(keys.keys).filter { before[$0] != keys[$0] }
            .union(
                Set(serverKeysBefore.keys).union(serverKeys.keys).filter {
                    serverKeysBefore[$0] != serverKeys[$0]
                })
    }

    /// Whose server shows this, and which of its keys it is; `nil` when it is nobody's, or of
    /// several tenants of which none is named.
    ///
    /// - Parameter tenant: The one whose key it has to be; `nil`: whosoever.
    /// - Complexity: O(tenants with such keys).
    func server(
        showing text: String, in tenant: String? = nil
    ) -> (keyset: Keyset, key: ServerKey)? {
        let found = servers(showing: text, in: tenant)
        return found.count == 1 ? found[0] : nil
    }

    /// Whether a server shows this that is of several tenants.
    func isOfSeveral(_ text: String) -> Bool { servers(showing: text, in: nil).count > 1 }

    private func servers(
        showing text: String, in tenant: String?
    ) -> [(keyset: Keyset, key: ServerKey)] {
        guard !serverKeys.isEmpty else { return [] }
        let id = ServerKeys.id(of: text)
        return serverKeys.compactMap { subscribeKey, keys in
            guard tenant.map({ ExactText($0) == ExactText(subscribeKey) }) ?? true,
                let key = keys[id], let keyset = keysets.tenant(subscribeKey)
            else { return nil }
            return (keyset, key)
        }
    }

    /// Whether any tenant asks for tokens.
    var areGuarded: Bool { !keys.isEmpty }

    /// What a tenant's tokens are checked with; `nil` for one that asks for none.
    func keys(of keyset: Keyset) -> AccessKeys? { keys[keyset.subscribeKey] }

    /// Whether who shows nothing is let in by any of them.
    var admitAnybody: Bool {
        ([keysets.standard] + keysets.configured.values).contains { keys(of: $0) == nil }
    }

    /// What a token of a tenant allows, without another look at its signature when there was one.
    ///
    /// - Parameter now: Unix seconds.
    /// - Throws: As ``AccessKeys/grant(for:revoked:at:)``; one that is over may be returned, too:
    ///   the grant knows.
    func grant(
        for token: String?, with keys: AccessKeys, at now: Int64
    ) throws(AccessRefusal) -> Grant {
        let key = CheckedTokens.Key(
            keyset: ExactText(keys.tenant), token: ExactText(token ?? ""))
        if let grant = checked.grant(for: key) {
            guard !revocations.contains(grant.id, of: grant.tenant) else { throw .revoked }
            return grant
        }
        let grant = try keys.grant(for: token, revoked: revocations, at: now)
        checked.remember(grant, for: key)
        return grant
    }

    /// The user whom a token names that is good; `nil` when it names nobody, or is not.
    func owner(of token: String, in subscribeKey: String, at now: Int64) -> String? {
        guard let keyset = keysets[subscribeKey], let keys = keys(of: keyset) else { return nil }
        return (try? grant(for: token, with: keys, at: now))?.user?.string
    }

    private static func serverKeys(of keysets: Keysets) -> [String: ServerKeys] {
        // What they say was looked at when the configuration was read.
        keysets.configured.compactMapValues { $0.serverKeys.flatMap { try? ServerKeys($0) } }
    }

    private static func keys(of keysets: Keysets) -> [String: AccessKeys] {
        var keys: [String: AccessKeys] = [:]
        for keyset in keysets.configured.values where keyset.isAccessControlled {
            keys[keyset.subscribeKey] = AccessKeys(keyset)
        }
        return keys
    }
}

extension AccessKeys {
    /// What the owner of a tenant configured.
    init(_ keyset: Keyset) {
        self.init(tenant: keyset.subscribeKey)
        tokenKeys =
            keyset.secretKeys.map {
                AccessTokenKey(secretKey: $0, subscribeKey: keyset.subscribeKey)
            }
        // What it says was looked at when the configuration was read.
        webKeys = keyset.webKeys.flatMap { try? JSONWebKeySet($0) }
        issuer = keyset.tokenIssuer
        audience = keyset.tokenAudience
    }
}
