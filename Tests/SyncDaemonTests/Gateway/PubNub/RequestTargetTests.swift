// A target is split before it is decoded, and decoded once.

import EventModel
import Testing

@testable import SyncDaemon

private func segment(_ text: String) throws -> String {
    try #require(RequestTarget("/" + text)).segment(0)
}

private func query(_ text: String) throws -> RequestQuery {
    try #require(RequestTarget("/?" + text)).query()
}

@Suite("RequestTarget")
struct RequestTargetTests {
    @Test(
        "a segment is decoded once, and a plus is a plus",
        arguments: [
            ("", ""), ("a", "a"), ("a%2Fb", "a/b"), ("a%2fb", "a/b"), ("%252F", "%2F"),
            ("1+1", "1+1"), ("a%20b", "a b"), ("%F0%9F%91%8D", "👍"), ("👍", "👍"),
            ("a%3Fb", "a?b"), ("a:b;c=d&e", "a:b;c=d&e"), ("%2C", ","), ("%01", "\u{1}"),
            ("%7B%22a%22%3A1%7D", #"{"a":1}"#), ("e%CC%81", "e\u{301}"),
        ])
    func segments(raw: String, text: String) throws {
        #expect(Array(try segment(raw).utf8) == Array(text.utf8))
    }

    @Test(
        "broken escapes, bytes that are not UTF-8 and zeros are refused",
        arguments: [
            "%", "%2", "a%", "a%f", "%zz", "%2G", "%g2", "% 20", "%+1", "%-1", "%FF", "%C3",
            "%F0%9F%91", "%ED%A0%80", "%C0%AF", "%00", "a%00b", "\u{0}", "%u1234",
        ])
    func refusedSegments(raw: String) throws {
        #expect(throws: RequestTargetError.self) { try segment(raw) }
        #expect(throws: RequestTargetError.self) { try query("a=\(raw)") }
        #expect(throws: RequestTargetError.self) { try query("\(raw)=a") }
        #expect(throws: RequestTargetError.self) {
            try #require(RequestTarget("/x,\(raw)")).list(0)
        }
    }

    @Test("only a path is taken apart", arguments: ["", "*", "x/y", "http://x/y", "?a=b", "👍"])
    func others(target: String) {
        #expect(RequestTarget(target) == nil)
    }

    @Test("a slash is one even before an accent")
    func combining() throws {
        let target = try #require(RequestTarget("/a/\u{301}b?\u{301}=1&\u{301}c=\u{301}d"))

        #expect(target.segments.count == 2)
        #expect(try target.segment(1) == "\u{301}b")
        #expect(
            try target.query().members == [
                .init(name: "\u{301}", value: "1"), .init(name: "\u{301}c", value: "\u{301}d"),
            ])
    }

    @Test(
        "a list of the path is split before it is decoded",
        arguments: [
            (",", []), ("a", ["a"]), ("a,b", ["a", "b"]), ("a%2Cb,c", ["a,b", "c"]),
            (",a,,b,", ["a", "b"]), ("%20,+", [" ", "+"]), ("a,a", ["a", "a"]),
        ] as [(String, [String])])
    func pathLists(raw: String, items: [String]) throws {
        #expect(try #require(RequestTarget("/" + raw)).list(0) == items)
    }

    @Test(
        "a list of the query is decoded before it is split, and may go on in another member",
        arguments: [
            ("g=,", []), ("g", []), ("g=", []), ("x=1", []), ("g=a,b", ["a", "b"]),
            ("g=a%2Cb", ["a", "b"]), ("g=g%201,g2", ["g 1", "g2"]),
            ("g=g%201%2Cg2", ["g 1", "g2"]), ("g=a&x=1&g=b", ["a", "b"]),
        ] as [(String, [String])])
    func queryLists(raw: String, items: [String]) throws {
        #expect(try query(raw).list("g") == items)
    }

    @Test("members may repeat, have no value, or hold what separates nothing")
    func members() throws {
        let query = try query("a=1&ee&a=2&&=x&t=tok%20en+/=&u=a/b?c;d")

        #expect(query["a"] == "1")
        #expect(query["ee"] == "")
        #expect(query["b"] == nil)
        #expect(query["t"] == "tok en+/=")
        #expect(query["u"] == "a/b?c;d")
        #expect(query.members.count == 6)
    }

    @Test(
        "what C-core appends behind a second question mark is a member, and nothing else is",
        arguments: [
            ("start=7&limit=1?pnsdk=PubNub-C/4&uuid=u", ["start", "limit", "pnsdk", "uuid"]),
            ("limit=1?auth=t&pnsdk=x", ["limit", "auth", "pnsdk"]),
            ("uuid=u?store=0?ear=1", ["uuid", "store"]),
            ("u=a?pnsdk", ["u"]), ("u=a?b=c", ["u"]), ("u=a%3Fpnsdk=x", ["u"]),
            ("u=a?xpnsdk=1", ["u"]), ("?pnsdk=x", ["pnsdk"]), ("u=?", ["u"]),
        ] as [(String, [String])])
    func appended(raw: String, names: [String]) throws {
        #expect(try query(raw).members.map(\.name) == names)
    }

    @Test("a next page's URL with C-core's name behind it is that page")
    func nextPage() throws {
        let target = "/v1/message-actions/s/channel/c?start=9&end=3&limit=1?pnsdk=C&uuid=u"
        guard case .actions(let page) = try #require(decoded(.get, target)).get().endpoint else {
            Issue.record("another endpoint")
            return
        }
        #expect(page.limit == 1)
        #expect(page.start?.rawValue == 9)
        #expect(page.end?.rawValue == 3)
    }

    @Test("names that only look alike are not repeats")
    func repeats() {
        let names = ["\u{E9}", "e\u{301}", "\u{E9}", "b"].withoutRepeats()

        #expect(names.map { Array($0.utf8) } == ["\u{E9}", "e\u{301}", "b"].map { Array($0.utf8) })
    }
}
