// Who asks the HTTP API: a tenant's own server, a user, or anybody.

import EventModel

/// Who asks, by what came with the request.
struct APIBearer {
    let keyset: Keyset
    let publishKey: PublishKey
    /// What was shown; `nil`: nothing.
    let text: String?
    /// A key of the tenant's own servers, if it is one.
    let server: ServerKey?
    /// In whose name, where a command does not say it: who the query names, or whose token it is,
    /// or what the server's key is called.
    private let standing: String?

    /// - Throws: `unknown_keyset`, or `token_invalid` for what is no bearer token, or not of one
    ///   tenant alone.
    init(_ asking: HTTPAsking, _ query: RequestQuery) throws(ProtocolError) {
        text = try Self.text(asking.request, query)
        for name in ["keyset", "publishKey", "as"] {
            guard let value = query[name] else { continue }
            guard (1...Limits.identifierBytesMax).contains(value.utf8.count), !query.repeats(name)
            else {
                throw .invalidField(
                    name, "a string of 1 to \(Limits.identifierBytesMax) bytes, once")
            }
        }
        // Servers write down what is in a query: a key that does not end is none there.
        if let text, asking.request.fields.authorization != nil,
            let (keyset, key) = asking.tenants.server(showing: text, in: query["keyset"])
        {
            (self.keyset, server, publishKey) = (keyset, key, .unasked)
            standing = query["as"] ?? key.name
            return
        }
        if let text, query["keyset"] == nil, asking.tenants.isOfSeveral(text) {
            throw .serverKeyOfSeveral
        }
        server = nil
        publishKey = .named(query["publishKey"])
        keyset = try asking.tenants.admit(
            to: query["keyset"] ?? asking.tenants.keysets.defaultKey)
        // What opens nothing here was meant for another tenant, or is a key that was taken away.
        guard text == nil || asking.tenants.keys(of: keyset) != nil else { throw .tokenInvalid }
        standing = query["as"] ?? Self.owner(of: text, in: keyset, asking)
    }

    private static func owner(
        of token: String?, in keyset: Keyset, _ asking: HTTPAsking
    ) -> String? {
        guard let keys = asking.tenants.keys(of: keyset) else { return nil }
        let grant = try? asking.tenants.grant(
            for: token, with: keys, at: asking.hub.engine.seconds)
        return grant?.user?.string
    }

    /// - Source: RFC 6750, section 2.1: the scheme in any case, then one space.
    private static func text(
        _ request: HTTPRequest, _ query: RequestQuery
    ) throws(ProtocolError) -> String? {
        guard let header = request.fields.authorization else { return query["token"] }
        let scheme = "bearer "
        guard header.lowercased().hasPrefix(scheme) else { throw .tokenInvalid }
        return String(header.dropFirst(scheme.count).drop { $0 == " " })
    }

    /// In whose name something is asked.
    func author(as name: String?) -> Author {
        Author(
            keyset: keyset.subscribeKey, userID: name ?? standing ?? "server", deviceID: "")
    }

    func credential(
        of author: Author, _ asking: HTTPAsking
    ) throws(ProtocolError) -> Credential {
        if let server { return server.credential(in: keyset.subscribeKey) }
        return try asking.tenants.credential(
            for: text, of: author, in: keyset, from: asking.origin.session,
            at: asking.hub.engine.seconds)
    }

    /// Whether it is worth now what it was.
    func check(_ call: any HTTPCall, in tenants: Tenants) throws(ProtocolError) {
        guard let server else {
            _ = try tenants.credential(
                ofStaying: call.author, with: text, as: call.credential,
                from: call.origin.session, at: call.engine.seconds)
            return
        }
        guard let text,
            tenants.server(showing: text, in: keyset.subscribeKey)?.key == server
        else { throw .tokenInvalid }
    }
}
