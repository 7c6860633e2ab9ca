// Channel groups: what the ledger lets them become, and who remembers it.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: channel groups")
struct LedgerGroupTests {
    private let bench = LedgerBench()
    private let family = ChannelGroup("family", keyset: "default")
    private let friends = ChannelGroup("friends", keyset: "default")

    private func names(_ range: Range<Int>) -> [String] { range.map { "c\($0)" } }

    @Test("a commit tells each changed group once, with all its channels in order")
    func tells() throws {
        let commit = bench.commit(
            write(.changeGroup(family, .add(["b", "a"]))),
            write(.changeGroup(friends, .add(["x"]))),
            write(.changeGroup(family, .add(["B", "a", "c"]))),
            write(.changeGroup(family, .remove(["b", "nobody"]))))

        #expect(
            try commit.answers.map { try $0.result.get() }
                == Array(repeating: .groupChanged, count: 4))
        #expect(commit.events == [])
        #expect(
            commit.groups == [
                GroupMembership(group: friends, channels: ["x"]),
                GroupMembership(group: family, channels: ["B", "a", "c"]),
            ])
        #expect(try bench.store.channels(of: family) == ["B", "a", "c"])

        let end = bench.commit(write(.changeGroup(family, .delete)))
        #expect(end.groups == [GroupMembership(group: family, channels: [])])
        #expect(try bench.store.allGroups().map(\.group) == [friends])
    }

    @Test(
        "a change that changes nothing is answered and tells nobody",
        arguments: [GroupChange.add(["a"]), .add([]), .remove(["b"])])
    func changesNothing(_ change: GroupChange) throws {
        _ = try bench.reply(.changeGroup(family, .add(["a"])))

        let commit = bench.commit(write(.changeGroup(family, change)))
        let other = bench.commit(write(.changeGroup(friends, .delete)))

        #expect(try commit.answers[0].result.get() == .groupChanged)
        #expect(commit.groups == [])
        #expect(other.groups == [])
    }

    @Test("a group that is full takes nothing, but lets go")
    func fullGroup() throws {
        let max = Limits.channelsPerGroupMax
        _ = try bench.reply(.changeGroup(family, .add(names(0..<max))))

        let refused = bench.commit(
            write(.changeGroup(family, .add(["one", "two"])), mutation: "m"))
        #expect(
            refused.answers.map(\.result) == [
                .failure(.tooManyChannels(max, per: "group", or: "take some out of it"))
            ])
        #expect(refused.groups == [])
        #expect(try bench.store.channels(of: family).count == max)

        _ = try bench.reply(.changeGroup(family, .remove(names(0..<2))))
        // What was refused is not remembered: its retry is a new try.
        let retry = try bench.reply(.changeGroup(family, .add(["one", "two"])), mutation: "m")
        #expect(retry == .groupChanged)
        #expect(try bench.store.channels(of: family).count == max)
    }

    @Test("a keyset that is full of groups takes no other, and counts them once")
    func fullKeyset() throws {
        let store = FaultyStore()
        store.furtherGroups = Limits.groupsPerKeysetMax - 1
        let bench = LedgerBench(store)
        func result(_ group: ChannelGroup, _ change: GroupChange) -> Result<Reply, ProtocolError> {
            bench.commit(write(.changeGroup(group, change))).answers[0].result
        }

        #expect(result(family, .add(["a"])) == .success(.groupChanged))
        let full = ProtocolError(
            QuotaRefusal.exceeded(.groups, max: Limits.groupsPerKeysetMax))
        #expect(full.status == 429)
        #expect(full.retryAfterSeconds == Limits.quotaRetrySeconds)
        #expect(result(friends, .add(["a"])) == .failure(full))
        #expect(result(family, .add(["b"])) == .success(.groupChanged))
        #expect(result(family, .delete) == .success(.groupChanged))
        #expect(result(friends, .add(["a"])) == .success(.groupChanged))
        #expect(result(family, .add(["a"])) == .failure(full))
        #expect(store.groupCounts == 2)
        // Another keyset has its own.
        store.furtherGroups = 0
        #expect(result(ChannelGroup("family", keyset: "k"), .add(["a"])) == .success(.groupChanged))
        #expect(store.groupCounts == 3)
    }

    @Test("the groups of a keyset take as many channels as are free for the others, and no more")
    func fullMemory() throws {
        let store = FaultyStore()
        let bench = LedgerBench(store)
        let other = ChannelGroup("family", keyset: "k")
        func result(_ group: ChannelGroup, _ change: GroupChange) -> Result<Reply, ProtocolError> {
            bench.commit(write(.changeGroup(group, change))).answers[0].result
        }
        // Half of them in each keyset, and a little more is free than each has.
        let part = Limits.groupedChannelsMax / 3 - 1
        store.furtherChannels = 2 * part
        let full = ProtocolError.tooManyGrouped(part + 2)
        #expect(result(family, .add(["a", "b", "c"])) == .failure(full))
        #expect(result(family, .add(["a", "b"])) == .success(.groupChanged))
        #expect(result(friends, .add(["a"])) == .failure(full))
        // What is there already takes no further room.
        #expect(result(family, .add(["a"])) == .success(.groupChanged))
        // What one keyset has is not free for another.
        let less = ProtocolError.tooManyGrouped(part + 1)
        #expect(result(other, .add(["a", "b"])) == .failure(less))
        #expect(result(other, .add(["a"])) == .success(.groupChanged))
        #expect(result(family, .remove(["a"])) == .success(.groupChanged))
        #expect(result(other, .add(["b"])) == .success(.groupChanged))
        #expect(result(family, .add(["a"])) == .failure(less))
    }

    @Test("groups that a failed commit made are not counted")
    func countsAfterFailure() throws {
        let store = FaultyStore()
        store.furtherGroups = Limits.groupsPerKeysetMax - 1
        let bench = LedgerBench(store)
        store.fault = (.commit, .full)
        _ = bench.commit(write(.changeGroup(family, .add(["a"]))))
        store.fault = nil

        #expect(try bench.reply(.changeGroup(friends, .add(["a"]))) == .groupChanged)
    }

    @Test("memberships in memory follow the commits, and start with what is stored")
    func remembers() throws {
        let groups = ChannelGroups()
        let kin = ChannelGroup("family", keyset: "k")
        for commit in [
            bench.commit(write(.changeGroup(family, .add(["b", "a"])))),
            bench.commit(write(.changeGroup(kin, .add(["z"])))),
            bench.commit(write(.changeGroup(friends, .add(["x"])))),
            bench.commit(write(.changeGroup(family, .remove(["b"])))),
        ] { groups.apply(commit.groups) }

        for groups in [groups, ChannelGroups(try bench.store.allGroups())] {
            #expect(groups.channels(of: family) == ["a"])
            #expect(groups.channels(of: kin) == ["z"])
            #expect(groups.groups(inKeyset: "default") == ["family", "friends"])
            #expect(groups.groups(inKeyset: "k") == ["family"])
            #expect(groups.groups(inKeyset: "none") == [])
        }

        groups.apply(bench.commit(write(.changeGroup(kin, .remove(["z"])))).groups)
        #expect(groups.channels(of: kin) == [])
        #expect(groups.groups(inKeyset: "k") == [])
    }
}
