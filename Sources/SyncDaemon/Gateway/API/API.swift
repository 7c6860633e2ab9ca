// The HTTP API for servers: its routes, and who asks. What is asked is a command of the native
// protocol, and what is answered its reply.

import EventModel
import JSON

enum API {
    /// Of every operation: in whose name.
    static let author = APIField.optional(
        "as", .user, "In whose name; without it the token's user, or the server key's name.")
    /// Of every operation: where, when no server key says it.
    static let place: [APIField] = [
        .optional("keyset", .user, "Whose data, when no server key says it."),
        .optional("publishKey", .user, "Where the keyset asks for one, and no server key came."),
    ]
    /// For who cannot send a header, as a page's EventSource.
    static let token = APIField.optional(
        "token", .text(1...Limits.tokenBytesMax),
        "For who cannot send Authorization; servers write down what is in a query.")

    /// Rows for the daemon's table.
    static let routes: [HTTPRoute] = {
        let operations = APIOperation.all.map { operation in
            route(operation.kind == .query ? .get : .post, operation.path) { asking in
                answer(asking) { (target) throws(ProtocolError) in
                    try APIRequest.commands(of: operation, asking.request, target)
                }
            }
        }
        let batch = route(.post, "v1/batch") { asking in
            answer(asking) { (target) throws(ProtocolError) in
                try APIRequest.batch(of: asking.request)
            }
        }
        let stream = route(.get, "v1/stream") { APIStreamRequest.answer($0) }
        var document = HTTPRoute.get("v1/openapi.json") { _ in
            var response = HTTPResponse.api(200, OpenAPI.document)
            response.tellsRate = false
            return response
        }
        document.isNamed = true
        let all = operations + [batch, stream, document]
        return all + all.map { preflight($0.path) }
    }()

    private static let words: Set<Substring> = Set(
        routes.map { $0.path.description.dropFirst("/v1/".count) })

    /// What a request hears that is not looked at; `nil` when it is not one of the API.
    static func refusal(_ error: ProtocolError, of request: HTTPRequest) -> HTTPResponse? {
        isOne(request.path) ? .api(error) : nil
    }

    /// The same of one that is not read to its end.
    static func response(to refusal: HTTPRefusal) -> HTTPResponse? {
        switch refusal {
        case .broken: nil
        case .bodyTooLong(let request): self.refusal(.bodyTooLong, of: request)
        case .targetTooLong(let line):
            isOne(line.drop { $0 != "/" }.prefix { $0 != "?" }) ? .api(.targetTooLong) : nil
        }
    }

    private static func isOne(_ path: Substring) -> Bool {
        path.hasPrefix("/v1/") && words.contains(path.dropFirst("/v1/".count))
    }

    private static func route(
        _ method: HTTPRequest.Method, _ path: String,
        _ answer: @escaping @Sendable (HTTPAsking) -> HTTPAnswer
    ) -> HTTPRoute {
        HTTPRoute(method: method, path: PathPattern(path), isNamed: false, answer: answer)
    }

    private static func preflight(_ path: PathPattern) -> HTTPRoute {
        HTTPRoute(method: .options, path: path, isNamed: false) { _ in .now(.apiPreflight) }
    }

    private static func answer(
        _ asking: HTTPAsking,
        _ read: (RequestTarget) throws(ProtocolError) -> APIRequest.Form
    ) -> HTTPAnswer {
        do throws(ProtocolError) {
            let target = try APIRequest.target(of: asking.request)
            let bearer = try APIBearer(asking, try APIRequest.query(of: target))
            let form = try read(target)
            return .call(try APICall(form, bearer, asking))
        } catch {
            return error.status == 401 ? .refused(.api(error)) : .now(.api(error))
        }
    }
}

/// Who asks, by what came with the request.
struct APIBearer {
    let keyset: Keyset
    let publishKey: PublishKey
    /// What was shown; `nil`: nothing.
    let text: String?
    /// A key of the tenant's own servers, if it is one.
    let server: ServerKey?
    /// Whose token it is, if it names anybody.
    private let owner: String?

    /// - Throws: `unknown_keyset`, or `token_invalid` for what is no bearer token.
    init(_ asking: HTTPAsking, _ query: RequestQuery) throws(ProtocolError) {
        text = try Self.text(asking.request, query)
        for name in ["keyset", "publishKey"] {
            guard let value = query[name] else { continue }
            guard (1...Limits.identifierBytesMax).contains(value.utf8.count), !query.repeats(name)
            else {
                throw .invalidField(
                    name, "a string of 1 to \(Limits.identifierBytesMax) bytes, once")
            }
        }
        if let text, let (keyset, key) = asking.tenants.server(showing: text) {
            // Whoever means another tenant's data is not to write into this one's.
            if let named = query["keyset"], ExactText(named) != ExactText(keyset.subscribeKey) {
                throw .unknownKeyset(named)
            }
            (self.keyset, server, owner, publishKey) = (keyset, key, key.name, .unasked)
            return
        }
        server = nil
        publishKey = .named(query["publishKey"])
        keyset = try asking.tenants.admit(
            to: query["keyset"] ?? asking.tenants.keysets.defaultKey)
        owner = Self.owner(of: text, in: keyset, asking)
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
            keyset: keyset.subscribeKey, userID: name ?? owner ?? "server", deviceID: "")
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
        guard let text, tenants.server(showing: text)?.key == server else { throw .tokenInvalid }
    }
}

extension HTTPResponse {
    static func api(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(
            status: status, contentType: "application/json", body: body,
            headers: [Header(name: "Access-Control-Expose-Headers", value: "*")])
        response.isForPages = true
        response.tellsRate = true
        return response
    }

    /// A refusal, in the words of the native protocol.
    static func api(_ error: ProtocolError) -> HTTPResponse {
        var json = JSONWriter()
        json.beginObject()
        ReplyEncoder.encode(error, into: &json)
        json.endObject()
        var response = api(error.status, json.bytes)
        if let seconds = error.retryAfterSeconds ?? (error.status == 429 ? 1 : nil) {
            response.headers.append(Header(name: "Retry-After", value: "\(seconds)"))
        }
        if error.status == 401 {
            response.headers.append(Header(name: "WWW-Authenticate", value: "Bearer"))
        }
        return response
    }

    /// The answer to a browser that asks before a request that is not simple.
    static let apiPreflight: HTTPResponse = {
        var response = HTTPResponse(
            status: 204, contentType: "application/json", body: [],
            headers: [
                Header(name: "Access-Control-Allow-Methods", value: "GET, POST, OPTIONS"),
                Header(
                    name: "Access-Control-Allow-Headers",
                    value: "Authorization, Content-Type, Idempotency-Key, Last-Event-ID"),
                Header(name: "Access-Control-Max-Age", value: "86400"),
            ])
        response.isForPages = true
        return response
    }()
}
