// Errors at the doors of operators, all in one shape, whoever finds them.

import JSON

extension HTTPResponse {
    /// An error with a code that stays the same.
    ///
    /// - Parameter message: Whole sentences.
    static func forOperators(_ status: Int, code: String, _ message: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json",
            body: operatorsError(status, code, message))
    }

    /// One of the daemon's own errors in the shape in which operators get all others.
    var inOperatorsShape: HTTPResponse {
        guard status >= 400, let json = try? JSONValue(parsing: body, depthMax: 4),
            let message = json.member("error")?.string
        else { return self }
        var response = self
        response.body = Self.operatorsError(status, Self.operatorsCode(status), message)
        return response
    }

    private static func operatorsCode(_ status: Int) -> String {
        switch status {
        case 403: "forbidden"
        case 404: "not_found"
        case 405: "method_not_allowed"
        case 413, 414, 431: "too_large"
        case 421: "unknown_host"
        default: "bad_request"
        }
    }

    private static func operatorsError(_ status: Int, _ code: String, _ message: String) -> [UInt8]
    {
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("error")
        json.member("status", status)
        json.member("code", code)
        json.member("message", message)
        json.endObject()
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
