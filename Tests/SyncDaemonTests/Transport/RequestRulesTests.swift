// Which requests and origins are refused: the tables that keep smugglers and foreign pages out.

import Testing

@testable import SyncDaemon

@Suite("RequestRules")
struct RequestRulesTests {
    @Test(
        "one plain length, or none, is let through",
        arguments: [nil, "0", "1", "42", "007", "999999999"])
    func plainLengths(length: String?) {
        #expect(RequestRules.refusal(contentLength: length, transferEncoding: nil) == nil)
    }

    @Test(
        "any other length is refused",
        arguments: [
            "", " ", " 1", "1 ", "-1", "+1", "1, 1", "1,1", "0x10", "1e3", "1.0", "١", "１",
            "1000000000", "18446744073709551616", "1\r\n", "1\0", "null",
        ])
    func otherLengths(length: String) {
        let refusal = RequestRules.refusal(contentLength: length, transferEncoding: nil)

        #expect(refusal?.status == 400)
        #expect(refusal?.keepsConnection == false)
    }

    @Test(
        "any transfer encoding is refused, whatever the length says",
        arguments: ["chunked", "identity", "", "gzip, chunked", "xchunked"])
    func transferEncodings(encoding: String) {
        for length in [nil, "0", "5", "-1"] {
            let refusal = RequestRules.refusal(contentLength: length, transferEncoding: encoding)

            #expect(refusal?.status == 411)
            #expect(refusal?.keepsConnection == false)
        }
    }

    @Test(
        "a program without an origin, this machine's pages and named origins may connect",
        arguments: [
            nil, "http://localhost", "http://localhost:3000", "https://localhost",
            "http://127.0.0.1", "http://127.0.0.1:8080", "http://[::1]", "http://[::1]:8080",
            "https://app.example", "https://app.example:8443",
        ])
    func allowed(origin: String?) {
        #expect(
            RequestRules.allows(
                origin: origin, allowed: ["https://app.example", "https://app.example:8443"]))
    }

    @Test(
        "any other page may not",
        arguments: [
            "", "null", "localhost", "127.0.0.1", "https://evil.example", "http://localhost.evil",
            "http://localhostevil", "http://127.0.0.1.evil", "http://127.0.0.11",
            "http://127.0.0.2", "http://[::1].evil", "http://[::1]evil", "http://[::2]",
            "http://::1", "http://[::1", "http://localhost@evil", "http://localhost:80@evil",
            "http://localhost:@evil", "http://evil@localhost", "http://evil:1@127.0.0.1",
            "http://localhost:", "http://localhost:80:80", "http://localhost:80/", "http://",
            "http://localhost/", "http://localhost?", "http://localhost#", "http://localhost\\",
            "http://localhost:8o", "http://localhost ", " http://localhost.evil",
            "http://evil://localhost", "http://evil/http://localhost", "http://localhost.",
            "http://localhost:80 ", "http://localhost:80.evil", "http://xlocalhost",
            "https://app.example.evil", "https://app.example:1", "http://app.example",
            "https://app.example/", "https://xapp.example", "https://APP.example",
            "http://localhost http://evil", "http://0.0.0.0", "http://localhost\u{301}",
        ])
    func refused(origin: String) {
        #expect(!RequestRules.allows(origin: origin, allowed: ["https://app.example"]))
    }

    @Test("without named origins there are only this machine's pages")
    func noNames() {
        #expect(!RequestRules.allows(origin: "https://app.example", allowed: []))
        #expect(RequestRules.allows(origin: "http://localhost:1", allowed: []))
    }
}
