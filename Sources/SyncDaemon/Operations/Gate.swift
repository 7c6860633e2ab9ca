// What is asked of whoever comes in, before any operation and at every door alike.

import EventModel

extension Tenants {
    /// Lets a client act for a tenant.
    ///
    /// - Throws: `unknown_keyset`: nobody by that key.
    func admit(to subscribeKey: String) throws(ProtocolError) -> Keyset {
        guard let keyset = keysets[subscribeKey] else { throw .unknownKeyset(subscribeKey) }
        return keyset
    }

    /// The tenant of somebody who was let in, before the tenants changed or since.
    ///
    /// - Throws: `unknown_keyset`: it is gone.
    func tenant(of author: Author) throws(ProtocolError) -> Keyset {
        guard let keyset = keysets.tenant(author.keyset) else {
            throw .unknownKeyset(author.keyset)
        }
        return keyset
    }

    /// What a token is worth in a tenant.
    ///
    /// - Parameters:
    ///   - token: As the client showed it; `nil` from who showed none.
    ///   - author: Who shows it.
    ///   - connection: Where.
    ///   - takesAuthKeys: Whether it may be an auth key, or nothing where something is granted to
    ///     everybody.
    ///   - now: Unix seconds.
    func credential(
        for token: String?, of author: Author, in keyset: Keyset, from connection: SessionID,
        takesAuthKeys: Bool = false, at now: Int64
    ) throws(ProtocolError) -> Credential {
        guard let keys = keys(of: keyset) else { return .unguarded }
        var owner: ExactText?
        do throws(AccessRefusal) {
            let grant = try self.grant(for: token, with: keys, at: now)
            owner = grant.user
            try grant.check(for: author.userID, device: author.deviceOrNone, at: now)
            return .token(grant)
        } catch {
            if takesAuthKeys, let bearer = bearer(of: token, in: keyset, insteadOf: error) {
                return .authKey(bearer)
            }
            let refusal = ProtocolError(error)
            audit.refusedToken(refusal, of: owner, to: author, from: connection)
            throw refusal
        }
    }

    /// Who shows what is no token of the tenant's, or nothing, if a grant of version 2 is for them.
    ///
    /// A token that is over or was taken back is still one: its bearer hears of that.
    private func bearer(
        of text: String?, in keyset: Keyset, insteadOf refusal: AccessRefusal
    ) -> AuthKeyBearer? {
        guard keyset.secretKey != nil, [.missing, .garbage, .badSignature].contains(refusal) else {
            return nil
        }
        return keyGrants.bearer(of: text, in: keyset.subscribeKey)
    }

    /// Gives one more connection its place in a tenant's account.
    ///
    /// Whoever gets it gives it back when the connection is gone.
    ///
    /// - Parameter whateverMemory: It comes for what is not refused when memory is short.
    func seat(in keyset: Keyset, whateverMemory: Bool = false) throws(ProtocolError) -> Account {
        let account = accounts.account(of: keyset)
        switch accounts.pressure.level {
        case .none: break
        case _ where whateverMemory: break
        case .tenants where !account.isNew: break
        default:
            accounts.pressure.refusals.add()
            throw .memoryShort
        }
        do throws(QuotaRefusal) {
            try account.take(.connections)
        } catch {
            throw ProtocolError(error)
        }
        return account
    }

    /// What somebody who was let in comes with, after a change of the tenants.
    ///
    /// - Throws: Also when it is not what it was: they may have opened what is not open to them any
    ///   more, and come again. Where nothing is guarded any more everybody stays.
    func credential(
        ofStaying author: Author, with token: String?, as before: Credential,
        from connection: SessionID, at now: Int64
    ) throws(ProtocolError) -> Credential {
        let wasAuthKey = if case .authKey = before { true } else { false }
        let found = try credential(
            for: token, of: author, in: try tenant(of: author), from: connection,
            takesAuthKeys: wasAuthKey, at: now)
        guard found == .unguarded || found == before else { throw .tokenMissing }
        return found
    }
}

extension Caller {
    /// Why the caller may not change anything in a channel, whatever the change is; `nil` when it
    /// may.
    func refusal(changing name: String) -> ProtocolError? {
        guard mayWrite else { return .invalidPublishKey }
        // Whoever could write there could say that somebody came or left.
        if channel(name).isPresence { return .presenceIsReadOnly }
        return Directory(channelName: name) == nil ? nil : .directoryIsReadOnly
    }

    /// Whether the tenant's owner lets the caller write.
    var mayWrite: Bool {
        guard let key = keyset.publishKey, case .named(let named) = publishKey else { return true }
        return named.map { ExactText($0) == ExactText(key) } ?? false
    }

    /// Why the caller may not have what an operation needs; `nil` when it may.
    func refusal(of need: Need) -> ProtocolError? {
        guard let (error, lacking) = verdict(on: need) else { return nil }
        audit.refused(error, to: author, lacking: lacking, from: origin.session)
        return error
    }

    /// The same of what the caller did not ask for by itself, and of which nobody hears.
    func allows(_ need: Need) -> Bool { verdict(on: need) == nil }

    /// Where the caller has not what an operation needs; empty when that is not why it is refused.
    func lacking(_ need: Need) -> [Need.Place] {
        grant(for: need)?.lacking(need, in: keyset.subscribeKey) ?? []
    }

    private func verdict(on need: Need) -> (ProtocolError, [Need.Place])? {
        guard let grant = grant(for: need) else {
            return credential == .unguarded && need.isSigned ? (.forbidden, []) : nil
        }
        do throws(AccessRefusal) {
            try grant.check(
                need, in: keyset.subscribeKey, for: author.userID, device: author.deviceOrNone,
                at: engine.seconds)
            return nil
        } catch .notPermitted {
            let lacking = grant.lacking(need, in: keyset.subscribeKey)
            guard let first = lacking.first else { return (.forbidden, []) }
            return (.forbidden(lacking: first.description), lacking)
        } catch {
            return (ProtocolError(error), [])
        }
    }

    /// What is asked whether it allows something; `nil` for who may do everything.
    private func grant(for need: Need) -> Grant? {
        switch credential {
        case .unguarded, .secretKey: nil
        case .token(let grant): grant
        case .authKey(let bearer):
            engine.keyGrants.grant(to: bearer, for: need, at: engine.seconds).grant
        }
    }

    /// Why nothing more may be followed, by the tenant's quota and what memory there is; `nil` when
    /// it may.
    ///
    /// - Parameter own: What the connection follows already.
    func refusal(following count: Int, besides own: Int) -> ProtocolError? {
        guard count > 0 else { return nil }
        guard accounts.pressure.level < .sessions else {
            accounts.pressure.refusals.add()
            return .memoryShort
        }
        do throws(QuotaRefusal) {
            try accounts.account(of: keyset).check(subscriptions: count, besides: own)
            return nil
        } catch {
            return ProtocolError(error)
        }
    }

    /// Why a request names too many channels and groups, the members of its groups among them;
    /// `nil` when it does not.
    func refusal(naming channels: [String], groups: [String]) -> ProtocolError? {
        let count = groups.reduce(channels.count) { $0 + self.channels(of: $1).count }
        return count > Limits.channelsPerSessionMax
            ? .tooManyChannels(Limits.channelsPerSessionMax, per: "request") : nil
    }

    /// The members of a group as channel names, ascending.
    func channels(of group: String) -> [String] {
        engine.groups.channels(of: ChannelGroup(group, keyset: keyset.subscribeKey))
    }
}

extension Rights {
    /// What it takes to follow a channel from a cursor: a cursor is no right to what was before.
    ///
    /// Who lost the connection for a while reads on with ``read`` alone; who comes with a cursor
    /// from longer ago than ``Limits/unstoredTicksKept`` reads the past. So does who is told what
    /// a message's actions come to, however old they are.
    static func reading(
        _ actions: ActionsDetail = .rows, after cursor: Timetoken?, at now: Timetoken
    ) -> Rights {
        guard actions != .summary else { return [.read, .history] }
        guard let cursor else { return .read }
        let isOld = cursor.rawValue < now.rawValue &- min(now.rawValue, Limits.unstoredTicksKept)
        return isOld ? [.read, .history] : .read
    }
}

extension Author {
    /// SDKs have no device.
    fileprivate var deviceOrNone: String? { deviceID.isEmpty ? nil : deviceID }
}

extension ProtocolError {
    /// In what words a client hears of it: which of a bad token's faults it has is nobody's
    /// business.
    init(_ refusal: AccessRefusal) {
        self =
            switch refusal {
            case .missing: .tokenMissing
            case .garbage, .badSignature, .notYet, .wrongTenant: .tokenInvalid
            case .expired: .tokenExpired
            case .revoked: .tokenRevoked
            case .wrongUser: .tokenOfAnother
            case .notPermitted: .forbidden
            }
    }
}
