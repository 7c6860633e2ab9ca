// What every store promises about channel groups.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: channel groups")
struct StoreGroupContract {
    private let directory: ScratchDirectory
    private let family = ChannelGroup("family", keyset: "k")

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "a group holds each channel once, in the order of bytes", arguments: StoreUnderTest.allCases
    )
    func changes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func channels(after change: GroupChange) throws -> [String] {
            try store.commit(through: 1) { try $0.change(change, of: family) }
            return try store.channels(of: family)
        }

        #expect(try store.channels(of: family) == [])
        #expect(try channels(after: .add(["b", "a", "b"])) == ["a", "b"])
        #expect(try channels(after: .add(["é", "B", "a"])) == ["B", "a", "b", "é"])
        #expect(try channels(after: .remove(["a", "c", "e\u{301}"])) == ["B", "b", "é"])
        #expect(try channels(after: .delete) == [])
        #expect(try channels(after: .delete) == [])
    }

    @Test("groups of one name in two keysets are two", arguments: StoreUnderTest.allCases)
    func separates(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let groups = [
            family, ChannelGroup("family", keyset: "l"), ChannelGroup("fam", keyset: "k"),
        ]
        try store.commit(through: 1) {
            for (index, group) in groups.enumerated() {
                try $0.change(.add(["c\(index)", "d"]), of: group)
            }
        }

        let all = Dictionary(
            uniqueKeysWithValues: try store.allGroups().map { ($0.group, $0.channels) })
        #expect(all == [groups[0]: ["c0", "d"], groups[1]: ["c1", "d"], groups[2]: ["c2", "d"]])
        #expect(try store.groupUse(ofKeyset: "k") == GroupUse(groups: 2, channels: 4))
        #expect(try store.groupUse(ofKeyset: "l") == GroupUse(groups: 1, channels: 2))
        #expect(try store.groupUse(ofKeyset: "m") == GroupUse())
        #expect(try store.groupUse(ofKeyset: nil) == GroupUse(groups: 3, channels: 6))

        try store.commit(through: 2) { try $0.change(.remove(["c0", "d"]), of: family) }
        #expect(try Set(store.allGroups().map(\.group)) == Set(groups[1...]))
        #expect(try store.groupUse(ofKeyset: "k") == GroupUse(groups: 1, channels: 2))
    }

    @Test("a rollback brings a group back", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try $0.change(.add(["a"]), of: family) }
        try store.begin()
        try store.change(.delete, of: family)
        #expect(try store.channels(of: family) == [])
        store.rollback()

        #expect(try store.channels(of: family) == ["a"])
    }
}
