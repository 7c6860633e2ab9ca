// Tokens that were found good, so that the next request with the same one need not be checked anew.

import EventModel

/// Good tokens of all tenants by their exact texts, on one reactor.
///
/// Only signature and form are remembered: whoever takes a grant from here asks it for its time,
/// its user and whether it was taken back. What is not good is never remembered, so nobody without
/// a key fills it. Two generations: the older one goes when the younger is full, unless it is asked
/// for meanwhile.
struct CheckedTokens {
    struct Key: Hashable {
        /// The tenant's subscribe key.
        let keyset: ExactText
        let token: ExactText
    }

    private var young: [Key: Grant] = [:]
    private var old: [Key: Grant] = [:]
    /// Of the younger generation, roughly.
    private var bytes = 0

    private static let countMax = Limits.checkedTokensMax / 2
    private static let bytesMax = Limits.checkedTokenBytesMax / 2

    var count: Int { young.count + old.count }

    /// What a token allows that was good when it was remembered.
    mutating func grant(for key: Key) -> Grant? {
        if let grant = young[key] { return grant }
        guard let grant = old.removeValue(forKey: key) else { return nil }
        remember(grant, for: key)
        return grant
    }

    mutating func remember(_ grant: Grant, for key: Key) {
        let cost = grant.bytes + 2 * key.token.string.utf8.count
        guard cost <= Self.bytesMax else { return }
        if young.count >= Self.countMax || bytes + cost > Self.bytesMax {
            old = young
            young = [:]
            bytes = 0
        }
        young[key] = grant
        bytes += cost
    }

    /// Other keys may have come, and others gone.
    mutating func forgetAll() {
        self = CheckedTokens()
    }
}

extension Grant {
    /// What it keeps in memory, roughly: its names stand in the token's text, too.
    fileprivate var bytes: Int { 512 + permissions.bytes }
}
