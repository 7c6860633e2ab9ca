// Responses and close frames, as bytes.

import Testing

@testable import SyncDaemon

/// A response taken apart: status line, headers by name, body.
private struct Parsed {
    let statusLine: String
    var headers: [String: String] = [:]
    let body: String

    init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.firstRange(of: "\r\n\r\n"))
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        statusLine = String(try #require(lines.first))
        for line in lines.dropFirst() {
            let colon = try #require(line.firstRange(of: ": "))
            let name = String(line[..<colon.lowerBound])
            #expect(headers.updateValue(String(line[colon.upperBound...]), forKey: name) == nil)
        }
        body = String(text[end.upperBound...])
    }
}

@Suite("HTTPResponse")
struct HTTPResponseTests {
    @Test("the length is that of the body in bytes", arguments: ["", "ok\n", "é👍", "\r\n\r\n"])
    func lengths(body: String) throws {
        let response = HTTPResponse(status: 200, contentType: "text/plain", text: body)

        let parsed = try Parsed(response.encoded())

        #expect(parsed.statusLine == "HTTP/1.1 200 OK")
        #expect(parsed.headers["Content-Length"] == String(body.utf8.count))
        #expect(parsed.headers["Content-Type"] == "text/plain")
        #expect(parsed.headers["Cache-Control"] == "no-store")
        #expect(parsed.headers["X-Content-Type-Options"] == "nosniff")
        #expect(parsed.headers["Connection"] == nil)
        #expect(parsed.headers["Allow"] == nil)
        #expect(parsed.body == body)
    }

    @Test("the length of what HEAD asks about is said without the body")
    func measured() throws {
        var response = HTTPResponse(status: 200, contentType: "text/plain", body: [])
        response.length = 7
        #expect(try Parsed(response.encoded(omitsBody: true)).headers["Content-Length"] == "7")
        response.status = 304
        let unchanged = try Parsed(response.encoded())
        #expect(unchanged.statusLine == "HTTP/1.1 304 Not Modified")
        #expect(unchanged.headers["Content-Length"] == nil)
    }

    @Test("what is for every page names none, and counts no cookie")
    func everyPage() throws {
        var response = HTTPResponse(status: 200, contentType: "text/plain", text: "x")
        response.isForPages = true
        response.isForEveryPage = true
        let parsed = try Parsed(response.encoded(for: "https://a.example"))
        #expect(parsed.headers["Access-Control-Allow-Origin"] == "*")
        #expect(parsed.headers["Access-Control-Allow-Credentials"] == nil)
        #expect(parsed.headers["Vary"] == nil)
    }

    @Test("HEAD gets the headers of GET, and no body")
    func head() throws {
        let response = HTTPResponse(status: 200, contentType: "text/plain", text: "five!")

        let get = try Parsed(response.encoded())
        let head = try Parsed(response.encoded(omitsBody: true))

        #expect(head.headers == get.headers)
        #expect(head.headers["Content-Length"] == "5")
        #expect(head.body.isEmpty)
    }

    @Test(
        "an error is JSON, names its status and ends the connection",
        arguments: [
            (400, "Bad Request"), (403, "Forbidden"), (404, "Not Found"),
            (405, "Method Not Allowed"), (411, "Length Required"), (413, "Content Too Large"),
            (426, "Upgrade Required"), (503, "Service Unavailable"),
        ])
    func errors(status: Int, reason: String) throws {
        let parsed = try Parsed(HTTPResponse.error(status, "Do this.").encoded())

        #expect(parsed.statusLine == "HTTP/1.1 \(status) \(reason)")
        #expect(parsed.headers["Content-Type"] == "application/json")
        #expect(parsed.headers["Connection"] == "close")
        #expect(parsed.body == #"{"status":\#(status),"error":"Do this."}"# + "\n")
    }

    @Test("a 405 says what is allowed")
    func allow() throws {
        let response = HTTPResponse.methodNotAllowed("Use GET.", allowing: ["GET", "HEAD"])
        let parsed = try Parsed(response.encoded())

        #expect(parsed.statusLine == "HTTP/1.1 405 Method Not Allowed")
        #expect(parsed.headers["Allow"] == "GET, HEAD")
    }
}
