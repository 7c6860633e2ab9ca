// What every store promises about the list of a tenant's channels.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: names of channels")
struct StoreNamesContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "those of one tenant, from a name on, by their bytes", arguments: StoreUnderTest.allCases)
    func lists(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let names = ["b", "é", "e\u{301}", "a", "a.1", "B"]
        for (index, name) in names.enumerated() {
            try store.publish(UInt64(index + 1), in: Channel(name, keyset: "k"))
        }
        try store.publish(90, in: Channel("a.2", keyset: "é"))
        try store.publish(91, in: Channel("a.3", keyset: "e\u{301}"))

        let reader = try store.makeReader()
        func found(_ name: String, _ limit: Int = 10, in keyset: String = "k") throws -> [ExactText]
        {
            try reader.channelNames(from: name, in: keyset, limit: limit).map(ExactText.init)
        }

        let all = ["B", "a", "a.1", "b", "e\u{301}", "é"].map(ExactText.init)
        #expect(try found("") == all)
        #expect(try found("a", 2) == [ExactText("a"), ExactText("a.1")])
        #expect(try found("a\u{1}") == Array(all.dropFirst(2)))
        #expect(try found("z") == [ExactText("é")])
        #expect(try found("", in: "é") == [ExactText("a.2")])
        #expect(try found("", in: "x").isEmpty)
    }
}
