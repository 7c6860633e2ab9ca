// Which bytes of a file are asked for, and what clients have of it.

import Testing

@testable import SyncDaemon

@Suite("Ranges and tags")
struct ByteRangeTests {
    @Test("one range is read as RFC 9110 has it")
    func reads() {
        for (text, range) in [
            ("bytes=0-0", 0..<1), ("bytes=2-", 2..<10), ("bytes=-3", 7..<10),
            ("Bytes=3-100", 3..<10), ("bytes=-100", 0..<10), ("bytes=9-9", 9..<10),
            ("bytes=0-999999999999999999", 0..<10),
            ("bytes=0-99999999999999999999999", 0..<10), ("bytes=-99999999999999999999", 0..<10),
        ] { #expect(ByteRange(text)?.resolved(in: 10) == range, "\(text)") }
    }

    @Test("what no file of this size has is said to be outside")
    func outside() throws {
        for text in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=999999999999999999999999-"] {
            let range = try #require(ByteRange(text))
            #expect(range.resolved(in: 10) == nil, "\(text)")
        }
        for text in ["bytes=0-", "bytes=-1"] {
            #expect(ByteRange(text)?.resolved(in: 0) == nil)
        }
    }

    @Test("anything else is no range")
    func others() {
        for text in [
            "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=1-2,4-5", "bytes=a-b",
            "lines=1-2",
            "bytes=+1-2", "bytes=1 -2", "bytes==1-2", "bytes=1-2-3",
        ] { #expect(ByteRange(text) == nil, "\(text)") }
    }

    @Test("a tag is found among others, weak or not")
    func tags() {
        for list in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*", "\"b\",\"a\" "] {
            #expect(EntityTag.isListed("\"a\"", in: list), "\(list)")
        }
        for list in ["", "a", "\"b\"", "\"ab\"", "W/a"] {
            #expect(!EntityTag.isListed("\"a\"", in: list), "\(list)")
        }
    }
}
