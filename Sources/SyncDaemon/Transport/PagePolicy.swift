// Which pages may ask, and by which names the daemon may be called. Pure: what a request says of
// itself in, a verdict out.
//
// A browser lets every page send requests to every address, also to a daemon on its user's own
// machine or in a network that only its user reaches. What it adds to them says whose they are.

/// What one listener admits; the same for requests and for WebSockets.
struct PagePolicy: Sendable, Hashable {
    /// Why a request is refused before anything is done.
    enum Refusal: Hashable {
        /// It is for another host.
        case host
        /// It is from a page that may not ask.
        case page
    }

    /// Pages of these may ask, as browsers write them: `https://app.example`.
    var allowedOrigins: [String] = []
    /// Names and addresses by which the daemon is called, in lower case, without ports.
    var allowedHosts: [String] = []
    /// Whether only this machine reaches the listener: then a name that somebody else pointed to
    /// 127.0.0.1 is refused (DNS rebinding).
    var isLoopback = false
    /// Whether pages of this machine may ask, which a developer serves.
    var admitsLocalPages = false
    /// Whether the listener has pages of its own, which may ask where they come from: operators'
    /// console.
    var admitsOwnPages = false
    /// Paths where every page may ask, since nothing is read there and nothing done.
    var pathsForAll: Set<Substring> = []
    /// How paths begin where every page may ask, since who knows one has the right to it.
    var beginningsForAll: [String] = []

    /// - Parameter path: Of the request, without its query.
    /// - Returns: `nil` for a request that may go on.
    func refusal(of asker: Provenance, at path: Substring) -> Refusal? {
        guard isCalled(asker.host) else { return .host }
        let isForAll =
            pathsForAll.contains(path) || beginningsForAll.contains(where: path.hasPrefix)
        return isForAll || mayAsk(asker) ? nil : .page
    }

    // MARK: Hosts

    /// Whether the daemon may be called so.
    ///
    /// No browser leaves the host out; who does speaks HTTP/1.0, or is no browser. One that says
    /// nothing is a name like another.
    private func isCalled(_ host: String?) -> Bool {
        guard let host, isLoopback || !allowedHosts.isEmpty else { return true }
        guard let name = Self.name(in: host.lowercased()) else { return false }
        return ListenAddress("\(name):0")?.isLoopback == true || allowedHosts.contains(name)
    }

    // MARK: Pages

    private func mayAsk(_ asker: Provenance) -> Bool {
        let host = asker.host ?? ""
        // No name that somebody else may point here, and the same port: what that serves is ours.
        let hasOwnPages = admitsOwnPages && isLoopback && Self.isLocal(host)
        if let origin = asker.origin {
            let own = "http://\(host)".utf8
            return allows(origin) || hasOwnPages && origin.utf8.elementsEqual(own)
        }
        // Pictures, scripts, links and forms that GET: their browser says only how near they are.
        switch asker.site {
        case nil, "none": return true
        case "same-origin":
            return hasOwnPages || allows("http://\(host)") || allows("https://\(host)")
        case "same-site":
            // An address is a site of its own, so this is another port of the same machine. Of a
            // name it may be any neighbour, `blog.example.com` for `chat.example.com`.
            return admitsLocalPages && Self.isLocal(host)
        default: return false
        }
    }

    /// Whether pages of an origin may ask.
    ///
    /// That it names the daemon's own host proves nothing: a name that its owner pointed to the
    /// daemon makes them agree.
    private func allows(_ origin: String) -> Bool {
        // Swift takes some texts for equal that are not, byte for byte; ASCII it does not.
        guard origin.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        if allowedOrigins.contains(origin) { return true }
        guard admitsLocalPages, let separator = origin.firstRange(of: "://") else { return false }
        return ["http", "https"].contains(origin[..<separator.lowerBound])
            && Self.isLocal(String(origin[separator.upperBound...]))
    }

    /// Whether `NAME` or `NAME:PORT` is this machine as a developer's browser names it.
    private static func isLocal(_ authority: String) -> Bool {
        name(in: authority).map { ["localhost", "127.0.0.1", "[::1]"].contains($0) } ?? false
    }

    /// The name in `NAME` or `NAME:PORT`; `nil` for what is neither.
    private static func name(in authority: String) -> String? {
        let bytes = authority.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var name = authority[...]
        if let colon = authority.lastIndex(of: ":"), bytes.last != UInt8(ascii: "]") {
            let port = authority[authority.index(after: colon)...]
            guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), UInt16(port) != nil else {
                return nil
            }
            name = authority[..<colon]
        }
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        return name.isEmpty || (name.contains(":") && !isBracketed) ? nil : String(name)
    }
}

extension PagePolicy.Refusal {
    /// The answer, which ends the connection; a page cannot read it.
    func response(at entrance: Entrance) -> HTTPResponse {
        guard entrance.isForClients else {
            return HTTPResponse.error(status, "\(sentenceForOperators)").inOperatorsShape
        }
        return response
    }

    private var status: Int { self == .host ? 421 : 403 }

    private var sentenceForOperators: String {
        switch self {
        case .host:
            "The daemon is not known by this Host. Ask for 127.0.0.1 or localhost."
        case .page: "No page may ask here, whatever its Origin: ask without that header."
        }
    }

    private var response: HTTPResponse {
        switch self {
        case .host:
            .error(
                421,
                "The daemon is not known by this Host. Ask for 127.0.0.1 or localhost, or add the "
                    + "name to [server] allowed_hosts.")
        case .page:
            .error(
                403,
                "Pages of this Origin may not ask here. Add it to [server] allowed_origins.")
        }
    }

    /// For the log.
    var reason: String {
        switch self {
        case .host: "its Host is not in allowed_hosts"
        case .page: "its Origin is not in allowed_origins"
        }
    }
}
