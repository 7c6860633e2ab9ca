// Which pages may ask, and for whom: the tables that keep foreign pages out of every door.

import Testing

@testable import SyncDaemon

/// One listener, as its operator set it up.
private enum Place {
    /// A developer's: loopback, and nothing set.
    case development
    /// Loopback behind a proxy that passes `Host` on.
    case proxied
    /// An address that others reach, with origins and without hosts.
    case open
    /// The same, with hosts.
    case named
    /// `admin_listen`, on loopback.
    case admin

    var policy: PagePolicy {
        let health: Set<Substring> = ["/healthz"]
        return switch self {
        case .development:
            PagePolicy(isLoopback: true, admitsLocalPages: true, pathsForAll: health)
        case .proxied:
            PagePolicy(
                allowedOrigins: ["https://chat.example"], allowedHosts: ["chat.example"],
                isLoopback: true, admitsLocalPages: true, pathsForAll: health)
        case .open:
            PagePolicy(
                allowedOrigins: ["https://chat.example", "https://chat.example:8443"],
                pathsForAll: health)
        case .named:
            PagePolicy(
                allowedOrigins: ["https://chat.example"],
                allowedHosts: ["chat.example", "[2001:db8::1]"], pathsForAll: health)
        case .admin: PagePolicy(isLoopback: true, pathsForAll: health)
        }
    }

    func refusal(
        _ origin: String? = nil, host: String? = "localhost:8080", site: String? = nil,
        path: Substring = "/publish/p/s/0/room/0/1"
    ) -> PagePolicy.Refusal? {
        policy.refusal(of: Provenance(host: host, origin: origin, site: site), at: path)
    }
}

@Suite("Page policy")
struct PagePolicyTests {
    private static let localOrigins = [
        "http://localhost", "http://localhost:3000", "https://localhost", "http://127.0.0.1",
        "http://127.0.0.1:8080", "http://[::1]", "http://[::1]:8080",
    ]

    @Test("pages of this machine may ask on loopback", arguments: localOrigins)
    func local(origin: String) {
        #expect(Place.development.refusal(origin) == nil)
        #expect(Place.proxied.refusal(origin, host: "chat.example") == nil)
        #expect(Place.open.refusal(origin) == .page, "It is not the daemon's machine.")
        #expect(Place.admin.refusal(origin) == .page)
    }

    @Test(
        "any other page may not",
        arguments: [
            "", "null", "localhost", "127.0.0.1", "https://evil.example", "http://localhost.evil",
            "http://localhostevil", "http://127.0.0.1.evil", "http://127.0.0.11",
            "http://127.0.0.2", "http://[::1].evil", "http://[::1]evil", "http://[::2]",
            "http://::1", "http://[::1", "http://localhost@evil", "http://localhost:80@evil",
            "http://localhost:@evil", "http://evil@localhost", "http://evil:1@127.0.0.1",
            "http://localhost:", "http://localhost:80:80", "http://localhost:80/", "http://",
            "http://localhost/", "http://localhost?", "http://localhost#", "http://localhost\\",
            "http://localhost:8o", "http://localhost ", " http://localhost.evil",
            "http://evil://localhost", "http://evil/http://localhost", "http://localhost.",
            "http://localhost:80 ", "http://localhost:80.evil", "http://xlocalhost",
            "http://localhost:+80", "http://localhost:99999", "file://", "file://localhost",
            "chrome-extension://localhost", "https://chat.example.evil", "https://chat.example:1",
            "http://chat.example", "https://chat.example/", "https://xchat.example",
            "https://CHAT.example", "http://localhost http://evil", "http://0.0.0.0",
            "http://localhost\u{301}", "http://localhost:\u{301}80",
        ])
    func foreign(origin: String) {
        #expect(Place.development.refusal(origin) == .page)
        #expect(Place.open.refusal(origin) == .page)
        #expect(Place.proxied.refusal(origin, host: "chat.example") == .page)
        #expect(Place.admin.refusal(origin) == .page)
    }

    @Test(
        "an origin that is listed may ask, also null", arguments: ["https://chat.example", "null"])
    func listed(origin: String) {
        var policy = PagePolicy(isLoopback: true)
        #expect(policy.refusal(of: Provenance(origin: origin), at: "/") == .page)
        policy.allowedOrigins = [origin]
        #expect(policy.refusal(of: Provenance(origin: origin), at: "/") == nil)
        let crossSite = Provenance(origin: origin, site: "cross-site")
        #expect(policy.refusal(of: crossSite, at: "/") == nil)
    }

    @Test(
        "programs, and people who type the address, are no pages",
        arguments: [nil, "none"] as [String?])
    func programs(site: String?) {
        for place in [Place.development, .proxied, .open, .admin] {
            #expect(place.refusal(site: site) == nil)
        }
    }

    @Test(
        "the console is a page of where operators ask, and of nowhere else",
        arguments: [
            ("http://localhost:8081", "localhost:8081", nil),
            ("http://127.0.0.1:8081", "127.0.0.1:8081", nil),
            ("http://[::1]:8081", "[::1]:8081", nil),
            ("http://localhost:8080", "localhost:8081", .page),
            ("https://localhost:8081", "localhost:8081", .page),
            ("http://127.0.0.1:8081", "localhost:8081", .page),
            ("http://127.0.0.2:8081", "127.0.0.2:8081", .page), ("null", "localhost:8081", .page),
            ("http://localhost:8081\u{301}", "localhost:8081", .page),
            ("http://chat.example", "chat.example", .page),
            ("http://evil.example", "evil.example", .host),
        ] as [(String, String, PagePolicy.Refusal?)])
    func console(origin: String, host: String, refusal: PagePolicy.Refusal?) {
        var policy = PagePolicy(
            allowedHosts: ["chat.example"], isLoopback: true, admitsOwnPages: true)
        func verdict(_ origin: String?, site: String?) -> PagePolicy.Refusal? {
            policy.refusal(of: Provenance(host: host, origin: origin, site: site), at: "/metrics")
        }
        #expect(verdict(origin, site: nil) == refusal)
        let isOwn = ["localhost:8081", "127.0.0.1:8081", "[::1]:8081"].contains(host)
        let isKnown = host != "evil.example"
        #expect(verdict(nil, site: "same-origin") == (isOwn ? nil : isKnown ? .page : .host))
        #expect(verdict(nil, site: "same-site") == (isKnown ? .page : .host))
        // Where a name may be anybody's, equal names prove nothing.
        policy.isLoopback = false
        #expect(verdict(origin, site: nil) != nil)
        #expect(verdict(nil, site: "same-origin") != nil)
    }

    @Test(
        "a page without an origin is known by how near it is",
        arguments: [
            // Foreign pages: <img>, <script>, links, forms that GET, fetch without CORS.
            (.development, "localhost:8080", "cross-site", .page),
            (.open, "chat.example", "cross-site", .page),
            (.proxied, "chat.example", "cross-site", .page),
            // Another port of this machine, which may ask with an origin, too.
            (.development, "localhost:8080", "same-site", nil),
            (.development, "127.0.0.1:8080", "same-site", nil),
            (.development, "127.0.0.2:8080", "same-site", .page),
            // A neighbour: nobody knows which.
            (.proxied, "chat.example", "same-site", .page),
            (.open, "chat.example", "same-site", .page),
            // A page of the daemon's own address is one like all others: listed, or not.
            (.development, "localhost:8080", "same-origin", nil),
            (.proxied, "chat.example", "same-origin", nil),
            (.open, "chat.example:8443", "same-origin", nil),
            (.open, "evil.example", "same-origin", .page),
            (.admin, "localhost:8081", "same-origin", .page),
            // What no browser says today.
            (.development, "localhost:8080", "", .page),
            (.development, "localhost:8080", "same-origin,same-origin", .page),
            (.development, "localhost:8080", "Same-Origin", .page),
        ] as [(Place, String, String, PagePolicy.Refusal?)])
    fileprivate func sites(
        place: Place, host: String, site: String, refusal: PagePolicy.Refusal?
    ) {
        #expect(place.refusal(host: host, site: site) == refusal)
    }

    @Test(
        "on loopback the daemon has the machine's own names",
        arguments: [
            "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:8080",
            "[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]:8080", nil,
        ] as [String?])
    func ownHosts(host: String?) {
        for place in [Place.development, .proxied, .open, .named, .admin] {
            #expect(place.refusal(host: host) == nil)
        }
    }

    @Test(
        "a name that somebody else pointed here is refused, whatever is asked",
        arguments: [
            "", "evil.example", "evil.example:8080", "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost.", "localhost:", "localhost:x", "localhost:80:80", "localhost@evil", "::1",
            "[::1", "[::2]:8080", "127.1", "0.0.0.0:8080", "10.0.2.2:8080", "2130706433",
            "xn--localhost", "chat.example:80x", "[chat.example]",
        ])
    func rebound(host: String) {
        for place in [Place.development, .proxied, .named, .admin] {
            #expect(place.refusal(host: host) == .host)
            #expect(place.refusal("http://\(host)", host: host, site: "same-origin") == .host)
            #expect(place.refusal(host: host, path: "/healthz") == .host)
        }
        #expect(Place.open.refusal(host: host) == nil, "Nobody said how it is called.")
    }

    @Test(
        "names that the operator gave are taken, with any port",
        arguments: ["chat.example", "Chat.Example:443", "[2001:db8::1]", "[2001:DB8::1]:8080"])
    func namedHosts(host: String) {
        #expect(Place.named.refusal(host: host) == nil)
        #expect(Place.development.refusal(host: host) == .host)
    }

    @Test("whether it is alive every page may ask, and nothing near it")
    func health() {
        for origin in ["https://evil.example", "null"] {
            #expect(Place.development.refusal(origin, path: "/healthz") == nil)
            #expect(Place.development.refusal(origin, path: "/healthz/") == .page)
        }
        #expect(Place.open.refusal(site: "cross-site", path: "/healthz") == nil)
    }

    @Test("a refusal says what to do, and ends the connection")
    func answers() {
        for (refusal, status, setting) in [
            (PagePolicy.Refusal.host, 421, "[server] allowed_hosts"),
            (.page, 403, "[server] allowed_origins"),
        ] {
            let response = refusal.response(at: .main)
            #expect(response.status == status)
            #expect(String(decoding: response.body, as: UTF8.self).contains(setting))
            #expect(!response.keepsConnection)
            let head = String(
                decoding: response.encoded(for: "https://evil.example"), as: UTF8.self)
            #expect(!head.contains("Access-Control"))
        }
    }

    @Test("every page may ask for what is signed, by the name of the daemon, and for nothing else")
    func signed() {
        let policy = PagePolicy(
            allowedOrigins: ["https://chat.example"], allowedHosts: ["chat.example"],
            beginningsForAll: ["/v1/files/download/"])
        func refusal(_ path: Substring, host: String = "chat.example") -> PagePolicy.Refusal? {
            policy.refusal(
                of: Provenance(host: host, origin: "https://evil.example", site: "cross-site"),
                at: path)
        }
        #expect(refusal("/v1/files/download/x/y") == nil)
        #expect(refusal("/v1/files/download/x/y", host: "other.example") == .host)
        for path in ["/v1/files/upload/x", "/v1/files/downloads", "/x/v1/files/download/x"] {
            #expect(refusal(Substring(path)) == .page, "\(path)")
        }
    }
}
