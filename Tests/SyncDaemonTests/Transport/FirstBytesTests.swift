// The first bytes of a connection, and the door that they lead to.

import Testing

@testable import SyncDaemon

@Suite("FirstBytes")
struct FirstBytesTests {
    private func decide(_ text: String) -> FirstBytes.Verdict {
        FirstBytes.decide(Array(text.utf8)[...])
    }

    @Test("our path leads to the WebSocket", arguments: ["GET /v1/sync ", "GET /v1/sync?user=a"])
    func ours(text: String) {
        #expect(decide(text) == .door(.webSocket))
    }

    @Test(
        "anything else leads to HTTP",
        arguments: [
            "GET /v1/sync/", "GET /v1/sync2", "GET /v1/sync#", "GET /v1/sync%20", "GET //v1/sync ",
            "GET  /v1/sync ", "HEAD /v1/sync ", "get /v1/sync ", "\r\nGET /v1/sync ",
            "GET /v1/synC ",
            "P", "GET /h", "\u{16}\u{3}",
        ])
    func others(text: String) {
        #expect(decide(text) == .door(.http))
    }

    @Test("the start of our path decides nothing", arguments: 1...12)
    func undecided(count: Int) {
        #expect(decide(String("GET /v1/sync".prefix(count))) == .undecided(count: count))
    }
}
