// The table of routes: which row a request finds, and what it hears that finds none.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTP routes")
struct HTTPRouteTests {
    /// A route that says which it was.
    private static func route(_ method: HTTPRequest.Method, _ path: String) -> HTTPRoute {
        HTTPRoute(method: method, path: PathPattern(path)) { asking in
            let place = PathPattern(path).index(of: "channel")
            let name = place.flatMap { place in
                RequestTarget(asking.request.target).flatMap { try? $0.segment(place) }
            }
            return .now(
                HTTPResponse(
                    status: 200, contentType: "text/plain",
                    text: [method.rawValue, path, name].compactMap(\.self).joined(separator: " ")))
        }
    }

    private static let routes = HTTPRoutes([
        route(.get, "healthz"), route(.get, "v1/channels/{channel}"),
        route(.delete, "v1/channels/{channel}"), route(.post, "v1/channels"),
    ])

    private static func answer(
        _ method: HTTPRequest.Method, _ target: String, at entrance: Entrance = .main,
        of routes: HTTPRoutes = routes
    ) -> HTTPResponse {
        let hub = Hub(engine: StandInEngine(), counters: Counters())
        let asking = HTTPAsking(
            request: HTTPRequest(method: method, target: target, entrance: entrance),
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 1), command: 1),
            hub: hub, tenants: Tenants())
        guard case .now(let response) = routes.answer(asking) else {
            preconditionFailure("These routes answer at once.")
        }
        return response
    }

    @Test(
        "a request finds its row, and what the client chose",
        arguments: [
            (.get, "/healthz", "GET healthz"), (.head, "/healthz?x=/", "GET healthz"),
            (.get, "/v1/channels/a%2Fb", "GET v1/channels/{channel} a/b"),
            (.delete, "/v1/channels/room", "DELETE v1/channels/{channel} room"),
            (.post, "/v1/channels", "POST v1/channels"),
        ] as [(HTTPRequest.Method, String, String)])
    func finds(method: HTTPRequest.Method, target: String, text: String) {
        let response = Self.answer(method, target)
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == text)
    }

    @Test("where operators ask, no row answers who may not, but those that are for all")
    func refusal() {
        let everywhere = Set(Entrance.allCases)
        var rows = [
            Self.route(.get, "figures"), Self.route(.post, "change"),
            Self.route(.get, "healthz"),
        ]
        for index in rows.indices { rows[index].entrances = everywhere }
        rows[2].isForAll = true
        let routes = HTTPRoutes(rows) { request in
            request.entrance == .admin ? .error(401, "Show the key.") : nil
        }
        for (method, target) in [
            (.get, "/figures"), (.head, "/figures"), (.post, "/change"),
        ] as [(HTTPRequest.Method, String)] {
            #expect(Self.answer(method, target, at: .admin, of: routes).status == 401)
            #expect(Self.answer(method, target, at: .main, of: routes).status == 200)
            #expect(Self.answer(method, target, at: .local, of: routes).status == 200)
        }
        #expect(Self.answer(.get, "/healthz", at: .admin, of: routes).status == 200)
    }

    @Test(
        "the last words of a path may be as many as there are, and none is one",
        arguments: [
            ("/console/", 200), ("/console/a.js", 200), ("/console/a/b/c.js", 200),
            ("/console/a%2Fb", 200), ("/console", 404), ("/Console/a.js", 404),
            ("/consoles/a", 404),
        ])
    func open(target: String, status: Int) {
        let routes = HTTPRoutes([Self.route(.get, "console/{path...}")])
        #expect(Self.answer(.get, target, of: routes).status == status)
    }

    @Test(
        "no other spelling of a path is that path",
        arguments: [
            "/", "", "healthz", "//healthz", "/healthz/", "/%68ealthz", "/v1/channels/a/b", "*",
        ])
    func missing(target: String) {
        #expect(Self.answer(.get, target).status == 404)
    }

    @Test("a route is at its listeners, and nobody hears of it at another")
    func entrances() {
        func route(_ path: String, _ entrances: Set<Entrance>) -> HTTPRoute {
            .get(path, at: entrances) { entrance in
                HTTPResponse(status: 200, contentType: "text/plain", text: "\(entrance)")
            }
        }
        let routes = HTTPRoutes([
            route("both", [.main, .admin]), route("secret", [.admin]), route("none", []),
        ])
        func text(_ path: String, _ entrance: Entrance) -> String? {
            let response = Self.answer(.get, path, at: entrance, of: routes)
            let text = String(decoding: response.body, as: UTF8.self)
            if response.status != 404 { return text }
            #expect(text.contains("secret") == (entrance == .admin))
            return nil
        }

        #expect(text("/both", .main) == "main")
        #expect(text("/both", .admin) == "admin")
        #expect(text("/secret", .admin) == "admin")
        #expect(text("/secret", .main) == nil)
        #expect(text("/none", .main) == nil)
        #expect(text("/none", .admin) == nil)
        #expect(Self.answer(.post, "/secret", at: .main, of: routes).status == 404)
    }

    @Test(
        "another method hears which there are",
        arguments: [
            (.post, "/healthz", "GET, HEAD"), (.other, "/healthz", "GET, HEAD"),
            (.patch, "/v1/channels/room", "GET, HEAD, DELETE"), (.get, "/v1/channels", "POST"),
        ] as [(HTTPRequest.Method, String, String)])
    func methods(method: HTTPRequest.Method, target: String, allowed: String) {
        let response = Self.answer(method, target)
        #expect(response.status == 405)
        #expect(response.headers.map(\.value) == [allowed])
    }
}
