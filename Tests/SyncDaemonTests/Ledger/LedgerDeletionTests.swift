// What the ledger does with ends: removals by timetoken, deletions, and messages whose time is
// over.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: deletions")
struct LedgerDeletionTests {
    private let bench = LedgerBench()
    private let room = Channel("room")
    private let hour: UInt64 = 36_000_000_000

    private func removal(_ action: UInt64, on message: UInt64 = 1, by user: String = "ada")
        -> Write.Operation
    {
        .removeAction(
            messageTimetoken: tick(message), actionTimetoken: tick(action), userID: user)
    }

    // MARK: Removals by timetoken

    @Test("an action is removed by its timetoken, by its own user, once")
    func removesByTimetoken() throws {
        _ = try bench.reply(.add(.on(1)))

        #expect(try bench.reply(removal(1000, by: "bob")) == .actionRemoved(.notOwner))
        #expect(try bench.reply(removal(1001)) == .actionRemoved(.absent))
        #expect(try bench.reply(removal(1000, on: 2)) == .actionRemoved(.absent))
        let commit = bench.commit(write(removal(1000)))
        let action = MessageAction(key: .on(1), actionTimetoken: tick(1000))
        #expect(try commit.answers[0].result.get() == .actionRemoved(.removed))
        #expect(commit.events.map(\.event) == [.actionRemoved(action)])
        #expect(try bench.reply(removal(1000)) == .actionRemoved(.absent))
        #expect(try bench.stored() == commit.events.map(\.asStored))
    }

    // MARK: Deletions

    @Test("a deletion is one event and takes the actions along")
    func deletes() throws {
        _ = bench.commit(write(.publish(.numbered(1))), write(.publish(.numbered(2))))
        _ = bench.commit(write(.add(.on(1000))), write(.add(.on(1001))))

        let commit = bench.commit(
            write(.deleteMessages(after: tick(999), through: tick(1000))))

        let deletion = Envelope.deletion(
            after: tick(999), through: tick(1000), at: tick(1004), in: room)
        #expect(commit.events.map(\.asStored) == [deletion])
        #expect(try commit.answers[0].result.get() == .messagesDeleted(tick(1004)))
        #expect(try bench.stored().map(\.timetoken) == [tick(1001), tick(1003), tick(1004)])
        #expect(try bench.stored().last == deletion)
        // An action that was on it is no more, and may be added again.
        #expect(try bench.reply(removal(1002, on: 1000)) == .actionRemoved(.absent))
        let again = MessageAction(key: .on(1000), actionTimetoken: tick(1006))
        #expect(try bench.reply(.add(.on(1000))) == .actionAdded(again, .added))
    }

    @Test("a deletion that finds nothing is answered and tells nobody")
    func deletesNothing() throws {
        _ = try bench.reply(.add(.on(6)))

        let commit = bench.commit(write(.deleteMessages(after: .zero, through: tick(5))))

        #expect(try commit.answers[0].result.get() == .messagesDeleted(tick(1001)))
        #expect(commit.events == [])
        #expect(try bench.stored().count == 1)
    }

    @Test("a deletion takes what was added to messages that are gone, and tells")
    func deletesAgain() throws {
        _ = try bench.reply(.publish(.numbered(1)))
        let deletion = Write.Operation.deleteMessages(after: .zero, through: tick(1000))
        _ = try bench.reply(deletion)
        _ = try bench.reply(.add(.on(1000)))

        let commit = bench.commit(write(deletion))

        #expect(commit.events.map(\.event) == [.messagesDeleted(after: .zero, through: tick(1000))])
        #expect(commit.digests == [room: .empty])
        #expect(try bench.stored() == commit.events.map(\.asStored))
        #expect(bench.commit(write(deletion)).events.isEmpty)
    }

    @Test("a deletion ends where it stands in the order: what comes later stays")
    func deletesNoFuture() throws {
        _ = try bench.reply(.publish(.numbered(1)))

        let commit = bench.commit(
            write(.deleteMessages(after: .zero, through: .end)), write(.publish(.numbered(2))))

        #expect(
            commit.events.map(\.event) == [
                .messagesDeleted(after: .zero, through: tick(1001)), .message(.numbered(2)),
            ])
        #expect(try bench.stored() == commit.events.map(\.asStored))
    }

    // MARK: Expiry

    @Test("a message is deleted once its hours are over, with the next commit")
    func expires() throws {
        _ = try bench.reply(.publish(.numbered(1), hoursKept: 2))
        _ = try bench.reply(.publish(.numbered(2)))
        _ = try bench.reply(.publish(.numbered(3), hoursKept: .max))

        bench.wall = 1000 + 2 * hour
        #expect(bench.commit(write(.add(.on(9)))).events.count == 1)
        bench.wall = 1000 + 2 * hour + 100
        let commit = bench.commit(write(.add(.on(10))))

        #expect(
            commit.events.map(\.event).last
                == .messagesDeleted(after: tick(999), through: tick(1000)))
        #expect(commit.events.count == 2)
        #expect(commit.events.map(\.timetoken) == [tick(bench.wall), tick(bench.wall + 1)])
        #expect(commit.last == tick(bench.wall + 1))
        #expect(commit.answers.count == 1)
        #expect(bench.commit(write(.add(.on(11)))).events.count == 1)
        bench.wall = .max / 4
        #expect(bench.commit(write(.add(.on(12)))).events.count == 1)
        #expect(try bench.stored().prefix(2).map(\.timetoken) == [tick(1001), tick(1002)])
    }

    @Test("messages expire faster than they come, and all of them while nothing comes")
    func expiresInSteps() throws {
        let count = 40 + Limits.commitWritesMax
        for number in 0..<UInt64(count) {
            _ = bench.commit(write(.publish(.numbered(number), hoursKept: 1)))
        }
        #expect(bench.commitExpired() == nil)
        bench.wall += 2 * hour

        #expect(bench.commit(write(.add(.on(1)))).events.count == 1 + 18)
        let first = try #require(bench.commitExpired(after: bench.wall + 500))
        #expect(first.events.count == Limits.commitWritesMax)
        #expect(first.events.first?.timetoken == tick(bench.wall + 501))
        #expect(first.answers.isEmpty)
        #expect(first.last == first.events.last?.timetoken)
        #expect(try #require(bench.commitExpired()).events.count == 40 - 18)
        #expect(bench.commitExpired() == nil)

        #expect(bench.failure == nil)
        let stored = try bench.stored()
        #expect(stored.count == count + 1)
        #expect(stored.allSatisfy { if case .message = $0.event { false } else { true } })
        #expect(bench.store.last == stored.last?.timetoken)
    }

    @Test("an expiry that fails leaves the message, and is tried again", arguments: [0, 1, 2])
    func expiryFails(_ row: Int) throws {
        let calls: [FaultyStore.Call] = [.expired, .deleteMessages, .commit]
        let store = FaultyStore()
        let bench = LedgerBench(store)
        _ = try bench.reply(.publish(.numbered(1), hoursKept: 1))
        bench.wall += 2 * hour
        let before = store.last
        store.fault = (calls[row], .full)

        let failed = bench.commitExpired()

        #expect(failed?.events ?? [] == [])
        #expect(bench.failure == .full)
        #expect(store.last == before)
        #expect(try bench.stored().count == 1)
        store.fault = nil
        #expect(bench.commitExpired()?.events.count == 1)
    }
}
