// What is asked of whoever comes in, before any operation and at every door alike.

import EventModel

extension Tenants {
    /// Lets a client act for a tenant.
    ///
    /// - Throws: `unknown_keyset` or `forbidden`: nobody by that key, or one who wants a token.
    func admit(to subscribeKey: String) throws(ProtocolError) -> Keyset {
        guard let keyset = keysets[subscribeKey] else { throw .unknownKeyset(subscribeKey) }
        // Tokens do not exist yet: whoever guards a keyset guards it from everyone.
        guard !keyset.isAccessControlled else { throw .forbidden }
        return keyset
    }

    /// Whether a client who was let in may stay, after a change of the tenants.
    func admits(_ subscribeKey: String) -> Bool {
        (try? admit(to: subscribeKey)) != nil
    }
}

extension Caller {
    /// Why the caller may not change anything in a channel, whatever the change is; `nil` when it
    /// may.
    func refusal(changing name: String) -> ProtocolError? {
        guard mayWrite else { return .invalidPublishKey }
        // Whoever could write there could say that somebody came or left.
        return channel(name).isPresence ? .presenceIsReadOnly : nil
    }

    /// Whether the tenant's owner lets the caller write.
    private var mayWrite: Bool {
        guard let key = keyset.publishKey, case .named(let named) = publishKey else { return true }
        return named.map { ExactText($0) == ExactText(key) } ?? false
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
