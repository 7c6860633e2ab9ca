// The table of the daemon's own routes; its rows are made by who wires the daemon.

/// One method of one path, and what answers it.
struct HTTPRoute: Sendable {
    let method: HTTPRequest.Method
    let path: PathPattern
    /// The listeners where it is; elsewhere nobody hears that it exists.
    var entrances = Entrance.forClients
    /// Whether who asks for what is not there is told of it.
    var isNamed = true
    /// Whether nobody has to show anything for it, at whatever listener it is.
    var isForAll = false
    let answer: @Sendable (HTTPAsking) -> HTTPAnswer

    /// A route whose answers are known at once.
    static func get(
        _ path: String, at entrances: Set<Entrance> = Entrance.forClients,
        _ response: @escaping @Sendable (Entrance) -> HTTPResponse
    ) -> HTTPRoute {
        HTTPRoute(method: .get, path: PathPattern(path), entrances: entrances) { asking in
            .now(response(asking.request.entrance))
        }
    }
}

/// The table of them.
struct HTTPRoutes: Sendable {
    private let rows: [HTTPRoute]
    private let refusal: @Sendable (HTTPRequest) -> HTTPResponse?

    /// - Parameter refusal: Why a request that clients cannot make is not answered by its row, but
    ///   for rows that are for all; asked here, so that no row can forget to.
    init(
        _ rows: [HTTPRoute] = [],
        refusal: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
    ) {
        self.rows = rows
        self.refusal = refusal
    }

    /// HEAD is answered as GET is; the transport leaves the body out.
    func answer(_ asking: HTTPAsking) -> HTTPAnswer {
        let request = asking.request
        let rows = self.rows.filter { $0.entrances.contains(request.entrance) }
        let routes = RequestTarget(request.target).map { target in
            rows.filter { $0.path.matches(target) }
        }
        let isForClients = request.entrance.isForClients
        guard let routes, !routes.isEmpty else {
            if isForClients, let response = API.absence(of: request) { return .now(response) }
            let response = notFound(rows, isForClients)
            return .now(isForClients ? response : response.inOperatorsShape)
        }
        let method = request.method == .head ? .get : request.method
        guard let route = routes.first(where: { $0.method == method }) else {
            let response = methodNotAllowed(routes)
            return .now(isForClients ? response : response.inOperatorsShape)
        }
        if !isForClients, !route.isForAll, let refusal = refusal(request) {
            return .now(refusal)
        }
        return route.answer(asking)
    }

    private func notFound(_ rows: [HTTPRoute], _ isForClients: Bool) -> HTTPResponse {
        // What clients find has no names of its own for operators' commands.
        let paths =
            rows.filter(\.isNamed).map(\.path.description)
            + (isForClients ? [] : ["/admin/v1/ with the words of a command"])
        return .error(
            404,
            "Nothing is here. There are \(paths.dropLast().joined(separator: ", ")) and "
                + "\(paths.last ?? "no routes").")
    }

    private func methodNotAllowed(_ routes: [HTTPRoute]) -> HTTPResponse {
        let methods = routes.map(\.method.rawValue)
        return .methodNotAllowed(
            "Use \(methods.joined(separator: " or ")).",
            allowing: methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] })
    }
}
