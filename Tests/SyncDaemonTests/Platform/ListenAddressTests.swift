// Addresses as people write them.

import Testing

@testable import SyncDaemon

@Suite("ListenAddress")
struct ListenAddressTests {
    @Test(
        "reads and writes",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080", true), ("[::1]:8080", "[::1]:8080", true),
            ("localhost:0", "127.0.0.1:0", true), ("127.9.9.9:1", "127.9.9.9:1", true),
            ("0.0.0.0:65535", "0.0.0.0:65535", false), ("[::]:80", "[::]:80", false),
            ("[0:0::1]:80", "[0:0::1]:80", true), ("[::2]:80", "[::2]:80", false),
            ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", false),
            ("10.1.2.3:80", "10.1.2.3:80", false),
        ])
    func reads(text: String, written: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))

        #expect(address.description == written)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(
        "refuses",
        arguments: [
            "", ":", "8080", ":8080", "*:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
            "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 80", "::1:80", "[::1]", "[::1:80",
            "[127.0.0.1]:80", "127.0.0:80", "127.1:80", "example.com:80", "127.0.0.1:８０",
        ])
    func refuses(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
