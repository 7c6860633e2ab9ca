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

    /// Headers that change what a request means, as the client sent them.
    struct Fields: Sendable, Hashable {
        /// Who asks, and the proof of it.
        var authorization: String?
        /// The tags of which what is changed must have one.
        var ifMatch: String?
        /// Names the wish, so that it is carried out once however often it is sent.
        var idempotencyKey: String?
        /// Where a stream of events broke off.
        var lastEventID: String?
        var contentType: String?
        /// Which part of a file is wanted, and of which state of it.
        var range: String?
        var ifRange: String?
        /// States that the client has.
        var ifNoneMatch: String?
    }

    var method: Method
    /// Path and query as the client sent them, escapes included.
    var target: String
    var body: [UInt8] = []
    var fields = Fields()
    var provenance = Provenance()
    var entrance = Entrance.main
    /// Who asks at `admin_socket`, for the log.
    var peer: String?

    /// The target without its query, escapes included.
    var path: Substring { target.prefix { $0 != "?" } }

    /// Bytes of a body that comes behind it in parts; `nil`: it is in `body`.
    var bodyLength: Int?

    /// How paths begin, behind a slash, to which bodies are sent that are not kept in memory.
    static let streamedPath = "v1/files/upload/"
}

/// Why a request was not read to its end.
enum HTTPRefusal: Sendable, Hashable {
    /// It breaks a rule that holds for every request.
    case broken(HTTPResponse)
    /// Its first line is longer than the daemon reads; it begins so.
    case targetTooLong(beginning: String)
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

/// A response: with its whole body, or a part of one that goes on for as long as both sides like.
struct HTTPResponse: Sendable, Hashable {
    /// Which part of a response it is.
    enum Part: Sendable, Hashable {
        case whole
        /// The head, and the beginning of a body.
        case head
        /// More of the body.
        case more
        /// The end of the body, and of the connection.
        case last
    }

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
    /// Whether every page may read it: its address is the right to it.
    var isForEveryPage = false
    var part = Part.whole
    /// Bytes of the whole body, of a head that knows, and of an answer to HEAD.
    var length: Int?
    /// Whether to say in it how often its connection may ask.
    var tellsRate = false

    /// Whether more of it is to come.
    var goesOn: Bool { part == .head || part == .more }

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
        // RFC 9110, section 8.6: none where there cannot be a body.
        let hasBody = status != 204 && status != 304
        let length = hasBody ? "Content-Length: \(self.length ?? body.count)\r\n" : ""
        return Array(head(framing: length, for: origin).utf8) + (omitsBody ? [] : body)
    }

    /// The head and the first part of a body without a known length.
    ///
    /// - Parameter isChunked: Whether the peer knows chunks; else the body ends with the
    ///   connection (RFC 9112, section 6.3).
    func encodedHead(isChunked: Bool, for origin: String?) -> [UInt8] {
        let framing =
            length.map { "Content-Length: \($0)\r\n" }
            ?? (isChunked ? "Transfer-Encoding: chunked\r\n" : "")
        return Array(head(framing: framing, for: origin).utf8) + encodedPart(isChunked: isChunked)
    }

    /// A further part, or the last.
    func encodedPart(isChunked: Bool) -> [UInt8] {
        guard isChunked else { return body }
        var bytes: [UInt8] = []
        if !body.isEmpty {
            bytes += Array((String(body.count, radix: 16) + "\r\n").utf8) + body
            bytes += Array("\r\n".utf8)
        }
        if part == .last { bytes += Array("0\r\n\r\n".utf8) }
        return bytes
    }

    private func head(framing: String, for origin: String?) -> String {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        text += "Content-Type: \(contentType)\r\n" + framing
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if isForEveryPage {
            text += "Access-Control-Allow-Origin: *\r\n"
        } else if isForPages {
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
        return text + "\r\n"
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 421: "Misdirected Request"
        case 423: "Locked"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 481: "Malformed Filter Expression"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
