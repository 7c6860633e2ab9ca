// HTTP as the daemon speaks it: whole requests in, whole responses out.

import EventModel

/// A request that was read whole and found well-formed.
struct HTTPRequest: Sendable, Hashable {
    enum Method: String, Sendable, Hashable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
        case options = "OPTIONS"
        /// Anything else; nothing answers it.
        case other = ""
    }

    var method: Method
    /// Path and query as the client sent them, escapes included.
    var target: String
    var body: [UInt8] = []
    /// As the client sent it: the tags of which what is changed must have one.
    var ifMatch: String?
    var provenance = Provenance()
    var entrance = Entrance.main

    /// The target without its query, escapes included.
    var path: Substring { target.prefix { $0 != "?" } }
}

/// Why a request was not read to its end.
enum HTTPRefusal: Sendable, Hashable {
    /// It breaks a rule that holds for every request.
    case broken(HTTPResponse)
    /// Its first line is longer than the daemon reads.
    case targetTooLong
    /// So is its body; this is its head.
    case bodyTooLong(HTTPRequest)

    /// The answer, where nobody has other words for it.
    var response: HTTPResponse {
        switch self {
        case .broken(let response): response
        case .targetTooLong: .error(414, "Make the target of the request shorter.")
        case .bodyTooLong:
            .error(413, "Send a body of at most \(Limits.requestBodyBytesMax) bytes.")
        }
    }
}

/// A response with its whole body.
struct HTTPResponse: Sendable, Hashable {
    /// A header besides those that every response has.
    struct Header: Sendable, Hashable {
        var name: String
        var value: String
    }

    var status: Int
    var contentType: String
    var body: [UInt8]
    var headers: [Header] = []
    /// Whether the connection may carry another request afterwards.
    var keepsConnection = true
    /// Whether pages may read it that may ask.
    var isForPages = false

    init(
        status: Int, contentType: String, body: [UInt8], headers: [Header] = [],
        keepsConnection: Bool = true
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.headers = headers
        self.keepsConnection = keepsConnection
    }

    init(status: Int, contentType: String, text: String, keepsConnection: Bool = true) {
        self.init(
            status: status, contentType: contentType, body: Array(text.utf8),
            keepsConnection: keepsConnection)
    }

    /// A JSON error in words that say what to do.
    static func error(_ status: Int, _ message: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json",
            text: #"{"status":\#(status),"error":"\#(message)"}"# + "\n", keepsConnection: false)
    }

    /// What is said in the place of a response for which no memory is left.
    static let noRoom: HTTPResponse = {
        var response = error(
            503, "Too much waits for clients that read slowly. Retry in a while.")
        response.headers = [Header(name: "Retry-After", value: "\(Limits.quotaRetrySeconds)")]
        return response
    }()

    /// A 405 in those words; RFC 9110, section 15.5.6, has it name what is allowed.
    static func methodNotAllowed(_ message: String, allowing methods: [String]) -> HTTPResponse {
        var response = error(405, message)
        response.headers = [Header(name: "Allow", value: methods.joined(separator: ", "))]
        return response
    }

    /// The same, as the last on its connection.
    var closing: HTTPResponse {
        var response = self
        response.keepsConnection = false
        return response
    }

    /// The response as bytes.
    ///
    /// - Parameters:
    ///   - omitsBody: For HEAD: the headers of the response, `Content-Length` included, and no
    ///     body.
    ///   - origin: Of the page that asked, which may.
    func encoded(omitsBody: Bool = false, for origin: String? = nil) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        text += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if isForPages {
            // So that no cache shows one page what was for another.
            text += "Vary: Origin\r\n"
            if let origin {
                text += "Access-Control-Allow-Origin: \(origin)\r\n"
                text += "Access-Control-Allow-Credentials: true\r\n"
            }
        }
        if !headers.contains(where: { $0.name == "Cache-Control" }) {
            text += "Cache-Control: no-store\r\n"
        }
        text += "X-Content-Type-Options: nosniff\r\n"
        if !keepsConnection { text += "Connection: close\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (omitsBody ? [] : body)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 481: "Malformed Filter Expression"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
