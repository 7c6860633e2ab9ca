// Which requests are refused: the tables that keep smugglers out.

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
}
