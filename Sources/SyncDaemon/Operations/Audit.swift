// The trail of what matters to who owns a tenant: tokens made and taken back, what ended with them,
// and who was refused what they may not do. What is deleted the ledger tells, once it is.

import EventModel

/// Writes one line for each, at most ten a second for each kind, and then how many more there were
/// (``LogRateLimiter``); and counts the refusals.
///
/// No token and no secret is in it, only the first digits of a token's id. What clients wrote is
/// escaped by the log.
struct Audit {
    /// Where somebody asks from, for operators who block it.
    struct Peer {
        /// As in all lines about a connection.
        let connection: String
        var address: PeerAddress?
    }

    let counters: Counters
    let log: Log?
    /// Looks up a connection of the reactor.
    private let peer: (SessionID) -> Peer

    init(
        counters: Counters = Counters(), log: Log? = nil,
        peer: @escaping (SessionID) -> Peer = { Peer(connection: "\($0)") }
    ) {
        self.counters = counters
        self.log = log
        self.peer = peer
    }

    // MARK: What was done

    /// - Parameter minutes: For how long.
    func granted(_ grant: Grant, minutes: Int64) {
        log?.notice(
            "A token was made.",
            [
                "keyset": grant.tenant.string, "token": grant.id.prefix,
                "user": grant.user?.string ?? "any", "minutes": minutes,
            ])
    }

    func revoked(_ grant: Grant) {
        log?.notice(
            "A token is taken back.",
            ["keyset": grant.tenant.string, "token": grant.id.prefix])
    }

    /// A request of version 2, which grants the same on some names to some auth keys.
    ///
    /// Of the keys there is only how many: a part of a hash would be enough to try weak ones.
    func granted(_ grants: [KeyGrant], minutes: Int) {
        guard let first = grants.first else { return }
        let letters = KeyGrant.letters.filter { first.bits & $0.bit != 0 }.map(\.letter.description)
        let keys = Set(grants.compactMap(\.subject.authKey))
        log?.notice(
            first.bits == 0 ? "Grants are taken back." : "Grants are made.",
            [
                "keyset": first.subject.keyset.string, "level": "\(first.subject.level)",
                "name": first.subject.name.string, "grants": grants.count, "keys": keys.count,
                "rights": letters.joined(), "minutes": minutes,
            ])
    }

    /// What somebody may have waited for without asking anything, and so without being refused.
    enum Ended: String, CaseIterable {
        case session, poll
    }

    /// A session, or a poll, ends because its token is worth nothing any more.
    ///
    /// - Parameter credential: Passed over when it is no token.
    func ended(
        _ what: Ended, because error: ProtocolError, of author: Author, with credential: Credential,
        on connection: SessionID
    ) {
        guard case .token(let grant) = credential else { return }
        // A place of its own for each kind: the log counts lines by place.
        let number = Ended.allCases.firstIndex(of: what) ?? 0
        let peer = self.peer(connection)
        log?.notice(
            "Ended: \(error.code).",
            [
                "what": what.rawValue, "keyset": author.keyset, "user": author.userID,
                "device": author.deviceID, "token": grant.id.prefix,
                "token_user": grant.user?.string ?? "-",
                "connection": peer.connection, "peer": peer.address?.description ?? "-",
            ],
            file: error == .tokenExpired ? "audit-expired" : "audit-revoked", line: UInt(number))
    }

    // MARK: What was refused

    /// Passes over what is no refusal by policy.
    ///
    /// - Parameter lacking: Which rights were missing where.
    func refused(
        _ error: ProtocolError, to author: Author, lacking: [Need.Place] = [],
        from connection: SessionID
    ) {
        guard let reason = PolicyRefusal(rawValue: error.code) else { return }
        write(reason, from: connection) { peer in
            [
                "keyset": author.keyset, "user": author.userID, "device": author.deviceID,
                "lacking": lacking.first?.description ?? "-", "places": lacking.count,
                "connection": peer.connection, "peer": peer.address?.description ?? "-",
            ]
        }
    }

    /// Somebody who came with no good token.
    ///
    /// - Parameter owner: Whose it is; `nil` when anybody's, or when that cannot be read.
    func refusedToken(
        _ error: ProtocolError, of owner: ExactText?, to author: Author, from connection: SessionID
    ) {
        guard let reason = PolicyRefusal(rawValue: error.code) else { return }
        write(reason, from: connection) { peer in
            [
                "keyset": author.keyset, "user": author.userID, "device": author.deviceID,
                "token_user": owner?.string ?? "-",
                "connection": peer.connection, "peer": peer.address?.description ?? "-",
            ]
        }
    }

    /// A request whose signature is not the tenant's.
    ///
    /// SDKs sign their publish key, too, which nobody can guess here.
    ///
    /// - Parameter isOfAnotherTime: The signature is right, its time is not now.
    func refusedSignature(
        in keyset: Keyset, isOfAnotherTime: Bool, from connection: SessionID
    ) {
        let hint =
            if isOfAnotherTime {
                "its time is not now: compare the clocks"
            } else if keyset.publishKey == nil {
                "SDKs sign their publish_key: give this keyset the same"
            } else {
                "is it the same secret_key?"
            }
        write(.wrongSignature, from: connection) { peer in
            [
                "keyset": keyset.subscribeKey,
                "connection": peer.connection, "peer": peer.address?.description ?? "-",
                "hint": hint,
            ]
        }
    }

    /// A page that may not ask, or a name that the daemon is not called by.
    func refused(
        _ refusal: PagePolicy.Refusal, to asker: Provenance, from connection: SessionID
    ) {
        let reason: PolicyRefusal = refusal == .host ? .foreignHost : .foreignOrigin
        write(reason, from: connection) { peer in
            [
                "host": asker.host ?? "-", "origin": asker.origin ?? "-",
                "connection": peer.connection, "peer": peer.address?.description ?? "-",
            ]
        }
    }

    /// Each reason is a place of its own to the log, which counts lines by place.
    private func write(
        _ reason: PolicyRefusal, from connection: SessionID, _ fields: (Peer) -> Log.Fields
    ) {
        counters.policyRefusals.add(reason)
        let number = PolicyRefusal.allCases.firstIndex(of: reason) ?? 0
        log?.notice(
            "Refused: \(reason.rawValue).", fields(peer(connection)), file: "audit",
            line: UInt(number))
    }
}

extension TokenID {
    /// Enough to find a token's lines, and no way back to it.
    fileprivate var prefix: Substring { text.prefix(10) }
}

extension Need.Place: CustomStringConvertible {
    /// Such as `history on channel "room"`.
    var description: String {
        let words = rights.missingWords.joined(separator: isAny ? " or " : " and ")
        return "\(words) on \(kind) \(LogText.quoted(name))"
    }
}
