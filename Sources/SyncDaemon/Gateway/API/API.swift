// The HTTP API for servers: its routes and its words. What is asked is a command of the native
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
        let document = HTTPRoute(method: .get, path: PathPattern("v1/openapi.json")) { asking in
            let document = OpenAPI.document(admitsAnybody: asking.tenants.admitAnybody)
            var response = HTTPResponse.api(200, document)
            response.tellsRate = false
            return .now(response)
        }
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

    /// What a request hears for which there is no route; `nil` when it was not meant for the API.
    static func absence(of request: HTTPRequest) -> HTTPResponse? {
        let name = request.path.dropFirst("/v1/".count)
        guard request.path.hasPrefix("/v1/"), !name.isEmpty, !name.contains("/") else {
            return nil
        }
        var response = HTTPResponse.api(.noSuchOperation(name))
        response.tellsRate = false
        return response.closing
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

extension HTTPResponse {
    static func api(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(
            status: status, contentType: "application/json", body: body,
            headers: [
                Header(
                    name: "Access-Control-Expose-Headers",
                    value: "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After")
            ])
        response.isForPages = true
        response.tellsRate = true
        return response
    }

    static func api(_ error: ProtocolError) -> HTTPResponse {
        var json = JSONWriter()
        json.beginObject()
        ReplyEncoder.encode(error.ofAPI, into: &json)
        json.endObject()
        var response = api(error.status, json.bytes)
        let passes = error.status == 429 || error.status == 503
        if let seconds = error.retryAfterSeconds ?? (passes ? Limits.retryAfterSeconds : nil) {
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
                    value: "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID"),
                Header(name: "Access-Control-Max-Age", value: "86400"),
            ])
        response.isForPages = true
        return response
    }()
}
