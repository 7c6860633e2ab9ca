// Where the console is, and what its pages may do: load what is of the daemon, and talk to it.

import JSON

/// Rows for the daemon's table.
struct ConsoleRoutes: Sendable {
    /// What a page has to know of the daemon that it does not see by its own address.
    struct Ports: Hashable, Sendable {
        /// Of `listen`, and of `[tls] listen`.
        var main: Int?
        var secure: Int?
    }

    let files: ConsoleFiles
    /// The listeners where it is.
    let entrances: Set<Entrance>
    let ports: Ports

    var routes: [HTTPRoute] {
        ["console", "console/{path...}", "web/{path...}"].map { path in
            var route = HTTPRoute(
                method: .get, path: PathPattern(path), entrances: entrances
            ) { asking in
                .now(answer(to: asking.request))
            }
            route.isNamed = path == "console"
            // Its page has the key, and shows it when it asks for what only operators may see.
            route.isForAll = true
            return route
        }
    }

    private func answer(to request: HTTPRequest) -> HTTPResponse {
        let path = String(request.path.dropFirst())
        if path == "console/daemon.json" { return places(at: request.entrance) }
        guard let file = files[path] else {
            guard files.isFolder(path) else {
                return .error(404, "The console has no such file; it begins at /console/.")
            }
            return moved(to: "/\(path)/")
        }
        var response = HTTPResponse(status: 200, contentType: file.mediaType, body: file.bytes)
        if request.fields.ifNoneMatch.map({ EntityTag.isListed(file.tag, in: $0) }) == true {
            (response.status, response.body) = (304, [])
        }
        response.headers = [
            .init(name: "ETag", value: file.tag),
            // Asked for anew each time: another release has other files under the same names.
            .init(name: "Cache-Control", value: "no-cache"),
            .init(name: "Content-Security-Policy", value: policy(at: request.entrance)),
            .init(name: "Referrer-Policy", value: "no-referrer"),
            .init(name: "Cross-Origin-Opener-Policy", value: "same-origin"),
            .init(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
        ]
        return response
    }

    private func moved(to path: String) -> HTTPResponse {
        var response = HTTPResponse(
            status: 307, contentType: "text/plain; charset=utf-8", text: "It is at \(path).\n")
        response.headers = [.init(name: "Location", value: path)]
        return response
    }

    /// Clients' listeners are at the page's own address, whatever name a proxy has for it.
    private func places(at entrance: Entrance) -> HTTPResponse {
        .admin(
            200,
            Administration.json { json in
                guard !entrance.isForClients else { return }
                json.member("port", ports.main)
                json.member("securePort", ports.secure)
            })
    }

    /// No script, style or picture but the daemon's own, none within a page, and no page around it
    /// but the console.
    ///
    /// Devices talk to where clients do, which is another port than operators'.
    private func policy(at entrance: Entrance) -> String {
        var sockets: [String] = []
        if !entrance.isForClients {
            for (scheme, port) in [("ws", ports.main), ("wss", ports.secure)] {
                guard let port else { continue }
                sockets += ["127.0.0.1", "localhost"].map { " \(scheme)://\($0):\(port)" }
            }
        }
        return "default-src 'self'; connect-src 'self'\(sockets.joined()); base-uri 'none';"
            + " form-action 'none'; frame-ancestors 'self'"
    }
}
