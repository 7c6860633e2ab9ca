// A response in parts: its framing, and how it ends.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTP responses in parts")
struct HTTPPartsTests {
    private let get = Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    private let answer = HTTPResponse(status: 200, contentType: "text/plain", text: "answer")

    private func text(_ bytes: [UInt8]?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    private func part(_ part: HTTPResponse.Part, _ text: String) -> HTTPResponse {
        var response = HTTPResponse(status: 200, contentType: "text/plain", text: text)
        response.part = part
        return response
    }

    @Test("a response in parts is chunked, and ends its connection with its last")
    func parts() {
        var connection = HTTPConnection()
        #expect(connection.answer(part(.more, "early")) == nil)
        _ = connection.receive(get.span)

        let head = text(connection.answer(part(.head, "one")))
        #expect(head?.contains("Transfer-Encoding: chunked\r\n") == true)
        #expect(head?.contains("Content-Length") == false)
        #expect(head?.contains("Connection: close\r\n") == true)
        #expect(head?.hasSuffix("\r\n\r\n3\r\none\r\n") == true)
        #expect(connection.isStreaming && !connection.isWaiting && !connection.isWriting)
        #expect(text(connection.answer(part(.more, "two, longer"))) == "b\r\ntwo, longer\r\n")
        #expect(text(connection.answer(part(.last, "end"))) == "3\r\nend\r\n0\r\n\r\n")
        #expect(connection.isWriting && !connection.isStreaming)
        let stays = connection.responseHasLeft()
        #expect(!stays)
    }

    @Test("a stream that is answered otherwise just ends")
    func cut() {
        var connection = HTTPConnection()
        _ = connection.receive(get.span)
        _ = connection.answer(part(.head, ""))

        #expect(text(connection.answer(answer)) == "0\r\n\r\n")
        #expect(connection.answer(part(.more, "late")) == nil)
    }

    @Test("a client of HTTP/1.0 gets the parts as they are, until the end of the connection")
    func plainParts() {
        var connection = HTTPConnection()
        _ = connection.receive(Array("GET /a HTTP/1.0\r\n\r\n".utf8).span)

        let head = text(connection.answer(part(.head, "one")))
        #expect(head?.contains("Transfer-Encoding") == false)
        #expect(head?.contains("Connection: close\r\n") == true)
        #expect(head?.hasSuffix("\r\n\r\none") == true)
        #expect(text(connection.answer(part(.last, "two"))) == "two")
    }

    @Test("what a peer sends amid a stream is kept, up to a bound")
    func talkative() {
        var connection = HTTPConnection()
        _ = connection.receive(get.span)
        _ = connection.answer(part(.head, ""))

        guard case .wait = connection.receive(get.span) else {
            Issue.record("not kept")
            return
        }
        let most = [UInt8](repeating: 0x41, count: Limits.requestHeaderBytesMax)
        guard case .hangUp = connection.receive(most.span) else {
            Issue.record("kept without a bound")
            return
        }
    }
}
