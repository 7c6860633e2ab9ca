// What every response to a PubNub SDK has around its body.

extension HTTPResponse {
    /// A response with the headers of PubNub's service.
    ///
    /// - Source: JavaScript refuses a body whose type names neither JavaScript nor JSON; browsers
    ///   hide errors, too, without the `Access-Control` headers.
    static func pubNub(_ status: Int, _ body: [UInt8], headers: [Header] = []) -> HTTPResponse {
        var response = HTTPResponse(
            status: status, contentType: #"text/javascript; charset="UTF-8""#, body: body,
            headers: [
                Header(
                    name: "Cache-Control",
                    value: status == 403 ? "no-cache, no-store, must-revalidate" : "no-cache"),
                Header(
                    name: "Access-Control-Allow-Methods",
                    value: "GET, POST, PATCH, DELETE, OPTIONS"),
                Header(name: "Access-Control-Expose-Headers", value: "*"),
            ] + headers)
        response.isForPages = true
        return response
    }

    /// The answer to a browser that asks before a request that is not simple.
    static let pubNubPreflight: HTTPResponse = {
        var response = HTTPResponse(
            status: 200, contentType: #"text/javascript; charset="UTF-8""#, body: [],
            headers: [
                Header(
                    name: "Access-Control-Allow-Methods",
                    value: "GET, POST, PATCH, DELETE, OPTIONS"),
                Header(
                    name: "Access-Control-Allow-Headers",
                    value: "Origin, X-Requested-With, Content-Type, Content-Encoding, Accept, "
                        + "If-Match"),
                Header(name: "Access-Control-Max-Age", value: "86400"),
            ])
        response.isForPages = true
        return response
    }()
}
