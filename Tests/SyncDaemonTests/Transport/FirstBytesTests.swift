// The first bytes of a connection, and the door that they lead to.

import Testing

@testable import SyncDaemon

@Suite("FirstBytes")
struct FirstBytesTests {
    private func decide(_ text: String) -> FirstBytes.Verdict {
        FirstBytes.decide(Array(text.utf8)[...])
    }

    @Test(
        "our path leads to the WebSocket",
        arguments: [
            "GET /v1/sync ", "GET /v1/sync?userId=a HTTP/1.1\r\n", "GET /v1/sync?x=%01%2500\n",
            "GET /v1/sync?" + String(repeating: "x", count: 5000),
        ])
    func ours(text: String) {
        #expect(decide(text) == .door(.webSocket))
    }

    @Test(
        "anything else leads to HTTP",
        arguments: [
            "GET /v1/sync/", "GET /v1/sync2", "GET /v1/sync#", "GET /v1/sync%20", "GET //v1/sync ",
            "GET  /v1/sync ", "HEAD /v1/sync ", "get /v1/sync ", "\r\nGET /v1/sync ",
            "GET /v1/synC ", "GET /v1/sync?userId=%00&deviceId=d HTTP/1.1\r\n", "GET /v1/sync?\0",
            "P", "GET /h", "\u{16}\u{3}",
        ])
    func others(text: String) {
        #expect(decide(text) == .door(.http))
    }

    @Test("a query decides when all of it is there")
    func query() {
        for text in ["GET /v1/sync?", "GET /v1/sync?userId=%0", "GET /v1/sync?a=b HTTP/1.1\r"] {
            #expect(decide(text) == .undecided(count: text.utf8.count))
        }
    }

    @Test("the start of our path decides nothing", arguments: 1...12)
    func undecided(count: Int) {
        #expect(decide(String("GET /v1/sync".prefix(count))) == .undecided(count: count))
    }
}
