// A tenant and what its owner decided: nothing crosses from one keyset to another.

import EventModel

/// The settings of one tenant.
///
/// Without a configured keyset, every subscribe key names the one tenant `default`, with these
/// defaults.
struct Keyset: Hashable, Sendable {
    /// Names the tenant on the wire and in the store.
    var subscribeKey: String
    /// What publishers must name; `nil` accepts any.
    var publishKey: String?
    /// Signs the backend's requests, and the tokens that it has made.
    var secretKey: String?
    /// The one before, which is as good while it is being replaced, and signs no new token.
    var previousSecretKey: String?
    /// The text of a JSON Web Key Set (RFC 7517): whose web tokens are good.
    var webKeys: String?
    /// The text of the keys of the tenant's own servers; `nil`: it has none.
    var serverKeys: String?
    /// What web tokens have to name as `iss` and `aud`; `nil`: anything.
    var tokenIssuer: String?
    var tokenAudience: String?
    /// How clients reach the daemon for files, such as `https://chat.example.com`; `nil`: as they
    /// did when they asked.
    var filesAddress: String?
    /// Everyone is refused who shows no token.
    var isAccessControlled = false
    /// How much it may have.
    var quotas = Quotas()
    /// What holds for channels that are in no namespace.
    var defaults = ChannelSettings()
    var namespaces = Namespaces()

    init(subscribeKey: String) {
        self.subscribeKey = subscribeKey
    }

    /// All that may have signed a request or a token, the present one first.
    var secretKeys: [String] { [secretKey, previousSecretKey].compactMap(\.self) }

    /// What holds for one of the tenant's channels.
    func settings(of channel: Channel) -> ChannelSettings {
        let settings = namespaces.settings(of: channel) ?? defaults
        guard Directory(channelName: channel.name) != nil else { return settings }
        return settings.ofDirectory
    }
}

/// The tenants of a daemon, and what their owners decided: a reload puts others in their place.
struct Keysets: Hashable, Sendable {
    /// By subscribe key; empty when every key names the default one.
    let configured: [String: Keyset]
    /// The tenant of a client that names none.
    let standard: Keyset

    /// - Parameters:
    ///   - keysets: The configured ones, the default first. Without any there is one tenant, and
    ///     every key names it: so whoever tries the daemon out meets all the others, and no client
    ///     can make tenants.
    ///   - lone: That one.
    init(_ keysets: [Keyset] = [], lone: Keyset = Keyset(subscribeKey: Channel.defaultKeyset)) {
        configured = Dictionary(
            keysets.map { ($0.subscribeKey, $0) }, uniquingKeysWith: { first, _ in first })
        standard = keysets.first ?? lone
    }

    /// Whether any channel of any tenant may have files.
    var haveFiles: Bool {
        ([standard] + configured.values).contains {
            $0.defaults.files.isOn || $0.namespaces.all.contains(where: \.files.isOn)
        }
    }

    var defaultKey: String { standard.subscribeKey }

    /// The tenant of a subscribe key; `nil` when there is none.
    subscript(subscribeKey: String) -> Keyset? {
        if configured.isEmpty { return standard }
        // A dictionary of strings takes some texts for equal that are not, byte for byte.
        guard let keyset = configured[subscribeKey],
            keyset.subscribeKey.utf8.elementsEqual(subscribeKey.utf8)
        else { return nil }
        return keyset
    }

    /// The tenant that somebody is in already; `nil` when it is gone.
    ///
    /// Where every key names the lone one, only its own does so here: who was in another has not
    /// come into it.
    func tenant(_ subscribeKey: String) -> Keyset? {
        guard let keyset = self[subscribeKey],
            keyset.subscribeKey.utf8.elementsEqual(subscribeKey.utf8)
        else { return nil }
        return keyset
    }

    /// What holds for a channel; the defaults where there is no such tenant.
    func settings(of channel: Channel) -> ChannelSettings {
        self[channel.keyset]?.settings(of: channel) ?? ChannelSettings()
    }
}
