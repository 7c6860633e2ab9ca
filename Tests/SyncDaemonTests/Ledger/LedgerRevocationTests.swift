// Tokens that are taken back: what the ledger remembers of them, and for how long.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: revoked tokens")
struct LedgerRevocationTests {
    private func result(_ commit: Commit) -> Result<Reply, ProtocolError> {
        commit.answers[0].result
    }

    @Test("a commit tells each token once, and another try succeeds")
    func tells() throws {
        let bench = LedgerBench()
        let commit = bench.commit(
            write(.revoke(.numbered(1))), write(.revoke(.numbered(2))),
            write(.revoke(.numbered(1))))
        let again = bench.commit(write(.revoke(.numbered(2))))

        #expect(commit.answers.map(\.result) == Array(repeating: .success(.tokenRevoked), count: 3))
        #expect(commit.revoked == [.numbered(1), .numbered(2)])
        #expect((result(again), again.revoked) == (.success(.tokenRevoked), []))
        #expect(try Set(bench.store.allRevoked()) == [.numbered(1), .numbered(2)])
    }

    @Test("every reactor hears of it, also one that asked for nothing")
    func parts() {
        let commit = LedgerBench().commit(write(.revoke(.numbered(1))))
        let parts = commit.parts(for: 3, wanted: [])
        #expect(parts.map { $0?.revoked } == Array(repeating: [.numbered(1)], count: 3))
        #expect(parts.map { $0?.answers.count } == [1, 0, 0])
    }

    @Test("a keyset that is full takes back no other, and counts once")
    func fullKeyset() {
        let store = FaultyStore()
        store.furtherRevoked = Limits.revokedTokensMax - 1
        let bench = LedgerBench(store)
        func result(_ token: RevokedToken) -> Result<Reply, ProtocolError> {
            self.result(bench.commit(write(.revoke(token))))
        }

        #expect(result(.numbered(1)) == .success(.tokenRevoked))
        #expect(result(.numbered(2)) == .failure(.tooManyRevoked))
        #expect(result(.numbered(1)) == .success(.tokenRevoked))
        #expect(store.revokedCounts == 1)
        store.furtherRevoked = 0
        #expect(result(.numbered(2, of: "other")) == .success(.tokenRevoked))
    }

    @Test("what a failed commit took back is good still, and not counted")
    func failure() throws {
        let store = FaultyStore()
        store.furtherRevoked = Limits.revokedTokensMax - 1
        let bench = LedgerBench(store)
        for call in [FaultyStore.Call.revoke, .commit] {
            store.fault = (call, .full)
            let commit = bench.commit(write(.revoke(.numbered(1))))
            #expect((result(commit), commit.revoked) == (.failure(.storeFull), []))
        }
        store.fault = nil

        #expect(store.allRevoked() == [])
        #expect(result(bench.commit(write(.revoke(.numbered(2))))) == .success(.tokenRevoked))
    }
}
