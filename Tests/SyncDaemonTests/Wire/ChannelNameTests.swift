// Which channel names there may be, and who may connect by a URL.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Names from outside")
struct ChannelNameTests {
    @Test(
        "a channel name is 1 to 255 bytes",
        arguments: [
            "a", "room.1", " ", "ä👍", "a:b", "a|b", "#?&%", "\u{A0}", "/", "a/b", "a\\b", "a*",
            "**", "a.*.b", "*\u{20D0}", "/\u{338}",
            String(repeating: "a", count: 255), String(repeating: "é", count: 127),
        ])
    func names(name: String) {
        #expect(isValidChannelName(name))
    }

    @Test(
        "any other is refused",
        arguments: [
            "", ",", "a,b", "a\0", "\n", "\u{1F}", "\u{7F}", "\u{80}", "\u{9F}",
            // They stand for many channels.
            "*", ".*", "a.*", "a.b.*", "a.*-pnpres",
            "a\u{85}b", String(repeating: "a", count: 256), String(repeating: "é", count: 128),
            // A mark makes one character with what stands before it, but hides nothing.
            ",\u{301}",
        ])
    func refused(name: String) {
        #expect(!isValidChannelName(name))
    }

    @Test("a query that names user and device is a hello; one that does not is none")
    func query() throws {
        #expect(CommandDecoder.hello(query: [:]) == nil)
        #expect(CommandDecoder.hello(query: ["userId": "u"]) == nil)
        #expect(CommandDecoder.hello(query: ["deviceId": "d"]) == nil)
        #expect(
            try CommandDecoder.hello(query: ["userId": "u", "deviceId": "d", "x": "y"])?.get()
                == Hello(userID: "u", deviceID: "d"))
        #expect(
            try CommandDecoder.hello(
                query: ["userId": "u", "deviceId": "d", "keyset": "k", "publishKey": "p"])?.get()
                == Hello(userID: "u", deviceID: "d", keyset: "k", publishKey: "p"))
    }

    @Test(
        "a query obeys the limits of a hello",
        arguments: ["userId", "deviceId", "keyset", "publishKey"])
    func queryLimits(name: String) {
        for length in [0, 256] {
            var query = ["userId": "u", "deviceId": "d", "keyset": "k"]
            query[name] = String(repeating: "a", count: length)
            #expect(
                CommandDecoder.hello(query: query)
                    == .failure(.invalidField(name, "a string of 1 to 255 bytes")))
        }
    }
}
