// The little HTTP that the daemon speaks by itself: whole requests without bodies, whole responses.

/// A request whose headers were read and found well-formed.
struct HTTPRequest: Sendable, Hashable {
    enum Method: Sendable, Hashable { case get, head, other }

    let method: Method
    /// Decoded, without the query.
    let path: String
}

/// A response with its whole body.
struct HTTPResponse: Sendable, Hashable {
    let status: Int
    let contentType: String
    let body: String
    /// Whether the connection may carry another request afterwards.
    var keepsConnection = true

    /// A JSON error in words that say what to do.
    static func error(_ status: Int, _ message: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json",
            body: #"{"status":\#(status),"error":"\#(message)"}"# + "\n", keepsConnection: false)
    }

    /// The response as bytes.
    ///
    /// - Parameter omitsBody: For HEAD: the headers of the response, `Content-Length` included, and
    ///   no body.
    func encoded(omitsBody: Bool = false) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        text += "Content-Type: \(contentType)\r\nContent-Length: \(body.utf8.count)\r\n"
        text += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        if status == 405 { text += "Allow: GET, HEAD\r\n" }
        if !keepsConnection { text += "Connection: close\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (omitsBody ? [] : Array(body.utf8))
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 411: "Length Required"
        case 426: "Upgrade Required"
        case 413: "Content Too Large"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
