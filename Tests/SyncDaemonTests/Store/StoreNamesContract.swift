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

    /// Found by an operator: such a channel was not among those to be emptied.
    @Test("one that has nothing but files is there, too", arguments: StoreUnderTest.allCases)
    func files(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.publish(1, in: Channel("b", keyset: "k"))
        try store.commit(through: 9) {
            for (number, name) in [(2, "a"), (3, "c"), (4, "c"), (5, "b")] {
                let id = try #require(FileID("00000000-0000-4000-8000-00000000000\(number)"))
                try $0.add(
                    StoredFile(
                        channel: Channel(name, keyset: "k"), id: id, name: "n", size: 1,
                        userID: "ada", created: tick(UInt64(number))))
            }
        }
        let reader = try store.makeReader()
        #expect(try reader.channelNames(from: "", in: "k", limit: 9) == ["a", "b", "c"])
        #expect(try reader.channelNames(from: "", in: "k", limit: 2) == ["a", "b"])
        #expect(try reader.channelNames(from: "b\u{1}", in: "k", limit: 9) == ["c"])
        #expect(try reader.channelNames(from: "", in: "x", limit: 9).isEmpty)
    }
}
