// Grants of version 2: what the ledger keeps of them, and for how long.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: grants of version 2")
struct LedgerKeyGrantTests {
    private func result(_ commit: Commit) -> Result<Reply, ProtocolError> {
        commit.answers[0].result
    }

    @Test("a commit tells what was granted and taken back, in this order")
    func tells() throws {
        let bench = LedgerBench()
        let first = bench.commit(
            write(.grant([.room("a"), .room("b")])), write(.grant([.room("a", bits: 1)])))
        let second = bench.commit(write(.grant([.room("b", bits: 0), .room("none", bits: 0)])))

        #expect(first.answers.map(\.result) == [.success(.keysGranted), .success(.keysGranted)])
        #expect(first.keyGrants == [.room("a"), .room("b"), .room("a", bits: 1)])
        #expect(second.keyGrants.map(\.bits) == [0, 0])
        #expect(try bench.store.allKeyGrants() == [.room("a", bits: 1)])
    }

    @Test("grants, and channels of groups, never fill the memory that there may be")
    func littleMemory() {
        let bench = LedgerBench()
        bench.ledger.accounts.pressure.setMax(4 * Limits.keyGrantMemoryBytes)
        func result(_ grants: KeyGrant...) -> Result<Reply, ProtocolError> {
            self.result(bench.commit(write(.grant(grants))))
        }
        // No keyset has more than is free for the others.
        #expect(result(.room("1"), .room("2"), .room("3")) == .failure(.tooManyKeyGrants))
        #expect(result(.room("1"), .room("2")) == .success(.keysGranted))
        #expect(result(.room("1", bits: 0), .room("3")) == .success(.keysGranted))
        let other = [KeyGrant.room("1", of: "other"), .room("2", of: "other")]
        #expect(result(other[0], other[1]) == .failure(.tooManyKeyGrants))
        #expect(result(other[0]) == .success(.keysGranted))
        #expect(result(other[1]) == .failure(.tooManyKeyGrants))
        #expect(result(.room("2", bits: 0), .room("3", bits: 0)) == .success(.keysGranted))
        #expect(result(other[1]) == .success(.keysGranted))

        let most = 4 * Limits.keyGrantMemoryBytes / Limits.groupedChannelMemoryBytes / 2
        func add(_ count: Int) -> Result<Reply, ProtocolError> {
            let names = (0..<count).map { "c\($0)" }
            let group = ChannelGroup("friends", keyset: "default")
            return self.result(bench.commit(write(.changeGroup(group, .add(names)))))
        }
        #expect(add(most + 1) == .failure(.tooManyGrouped(most)))
        #expect(add(most) == .success(.groupChanged))
    }

    @Test("a keyset that is full takes no further grant, but every one that frees or replaces")
    func fullKeyset() {
        let store = FaultyStore()
        store.furtherKeyGrants = Limits.keyGrantsMax - 2
        let bench = LedgerBench(store)
        func result(_ grants: KeyGrant...) -> Result<Reply, ProtocolError> {
            self.result(bench.commit(write(.grant(grants))))
        }

        #expect(result(.room("1")) == .success(.keysGranted))
        // All of a request, or nothing.
        #expect(result(.room("2"), .room("3")) == .failure(.tooManyKeyGrants))
        #expect(!store.hasKeyGrant(.room("2")))
        #expect(result(.room("2")) == .success(.keysGranted))
        #expect(result(.room("3")) == .failure(.tooManyKeyGrants))
        #expect(result(.room("2", bits: 1)) == .success(.keysGranted))
        #expect(result(.room("2", bits: 0), .room("3")) == .success(.keysGranted))
        #expect(store.keyGrantCounts == 1)
        store.furtherKeyGrants = 0
        #expect(result(.room("1", of: "other")) == .success(.keysGranted))
    }

    @Test("what a failed commit granted is not granted, and not counted")
    func failure() throws {
        let store = FaultyStore()
        store.furtherKeyGrants = Limits.keyGrantsMax - 1
        let bench = LedgerBench(store)
        for call in [FaultyStore.Call.grant, .commit] {
            store.fault = (call, .full)
            let commit = bench.commit(write(.grant([.room("1")])))
            #expect((result(commit), commit.keyGrants) == (.failure(.storeFull), []))
        }
        store.fault = nil

        #expect(store.allKeyGrants() == [])
        #expect(result(bench.commit(write(.grant([.room("2")])))) == .success(.keysGranted))
    }

    @Test("those whose time is over are forgotten between writes, some at a time")
    func sweep() {
        let bench = LedgerBench()
        bench.wall = 10 * 10_000_000
        let grants = (0..<100).map { KeyGrant.room("\($0)", expiry: 20) }
        _ = bench.commit(write(.grant(grants + [.room("for ever", expiry: KeyGrant.never)])))
        #expect(bench.commitExpired() == nil)

        bench.wall = 21 * 10_000_000
        let amidWrites = bench.commit(write(.publish(.numbered(1))))
        #expect((1..<100).contains(amidWrites.forgottenKeyGrants.count))
        var forgotten = amidWrites.forgottenKeyGrants
        while let commit = bench.commitExpired() { forgotten += commit.forgottenKeyGrants }

        #expect(Set(forgotten) == Set(grants.map(\.subject)))
        #expect((try? bench.store.allKeyGrants().map(\.expiry)) == [KeyGrant.never])
    }
}
