// What the ledger does with wishes about messages of one's own.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: messages of one's own")
struct LedgerMessageTests {
    private let bench = LedgerBench()
    private let room = Channel("room")

    private func edit(_ text: String, of message: UInt64 = 1000) -> Write.Operation {
        .edit(.on(message, text, type: "edited"))
    }

    /// A write by bob's phone.
    private func bobs(_ operation: Write.Operation) -> Write {
        Write(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 2, generation: 1), command: 1),
            author: Author(userID: "bob", deviceID: "phone"), channel: room, operation: operation,
            mutation: nil)
    }

    private func refusal(_ write: Write) throws -> String? {
        guard case .failure(let error) = try #require(bench.commit(write).answers.first).result
        else { return nil }
        return error.code
    }

    @Test(
        "between commits the ledger knows what a write was answered, and writes nothing",
        arguments: StoreUnderTest.embedded)
    func recalls(_ kind: StoreUnderTest) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        let bench = LedgerBench(store)
        let first = write(.publish(.numbered(1)), mutation: "p")
        #expect(bench.ledger.recall(first) == nil)
        let published = try #require(bench.commit(first).answers.first).result
        let change = write(edit(#""two""#), mutation: "e")
        let edited = try #require(bench.commit(change).answers.first).result

        #expect(bench.ledger.recall(first) == published)
        #expect(bench.ledger.recall(change) == edited)
        #expect(bench.ledger.recall(write(.publish(.numbered(1)))) == nil)
        let other = write(.publish(.numbered(2)), mutation: "p")
        #expect(bench.ledger.recall(other) == .failure(.mutationReused))
        let elsewhere = write(
            .publish(.numbered(1)), mutation: "p", channel: Channel("den"), device: "tablet")
        #expect(bench.ledger.recall(elsewhere) == nil)
        #expect(try !store.hasChannel(Channel("den")))
        // What was rolled back was not carried out.
        try store.begin()
        let author = elsewhere.author
        try store.remember(
            MutationRecord(fingerprint: elsewhere.fingerprint, outcome: .published(tick(9))),
            of: "p", by: author, at: tick(9))
        store.rollback()
        #expect(bench.ledger.recall(elsewhere) == nil)
        #expect(bench.commit(first).last == tick(1001))
    }

    @Test("an author's edit is an action like any other, once")
    func edits() throws {
        _ = try bench.reply(.publish(.numbered(1)))
        let commit = bench.commit(write(edit(#""two""#), mutation: "m"))

        let action = MessageAction(
            key: .on(1000, #""two""#, type: "edited"), actionTimetoken: tick(1001))
        #expect(commit.events.map(\.event) == [.actionAdded(action)])
        #expect(commit.events.map(\.timetoken) == [tick(1001)])
        #expect(try commit.answers[0].result.get() == .actionAdded(action, .added))
        #expect(commit.digests[room]?.count == 2)
        // A retry says the same, also when it spells the text otherwise.
        #expect(try bench.reply(edit(#""tw\u006f""#), mutation: "m") != .published(.zero))
        #expect(try refusal(write(edit(#""three""#), mutation: "m")) == "mutation_reused")
        // It is the newest already.
        #expect(try bench.reply(edit(#""two""#)) == .actionAdded(action, .already))
    }

    @Test(
        "a text that was said before is said again, and is the newest",
        arguments: [false, true])
    func again(byAction: Bool) throws {
        _ = try bench.reply(.publish(.numbered(1)))
        _ = try bench.reply(edit("2"))
        _ = try bench.reply(edit("3"))

        let commit = bench.commit(
            write(byAction ? .add(.on(1000, "2", type: "edited")) : edit("2")))

        let key = MessageAction.Key.on(1000, "2", type: "edited")
        #expect(
            commit.events.map(\.event) == [
                .actionRemoved(MessageAction(key: key, actionTimetoken: tick(1001))),
                .actionAdded(MessageAction(key: key, actionTimetoken: tick(1004))),
            ])
        #expect(commit.events.map(\.timetoken) == [tick(1003), tick(1004)])
        let page = try bench.store.makeReader().history(HistoryQuery(channel: "room"), in: room)
        #expect(
            page.messages.first?.edited == MessageVersion(payload: "2", timetoken: tick(1004)))
    }

    @Test("only the author of a message that stands edits and deletes it")
    func refuses() throws {
        _ = try bench.reply(.publish(.numbered(1)))
        for operation in [edit("2"), .deleteMessage(tick(1000))] {
            let commit = bench.commit(bobs(operation))
            guard case .failure(let error) = commit.answers[0].result else {
                Issue.record("\(operation) was not refused")
                continue
            }
            #expect(error == .notOwner)
            #expect(commit.events.isEmpty)
        }
        #expect(try refusal(write(edit("2", of: 7))) == "no_such_message")
        #expect(try bench.reply(.deleteMessage(tick(7))) == .messageDeleted(nil))
        // Byte for byte: é in one and in two scalars.
        let composed = Write(
            origin: write(edit("1")).origin, author: Author(userID: "\u{e9}", deviceID: "d"),
            channel: room, operation: .publish(.numbered(2)), mutation: nil)
        let commit = bench.commit(composed)
        let message = try #require(commit.events.first?.timetoken)
        let decomposed = Write(
            origin: composed.origin, author: Author(userID: "e\u{301}", deviceID: "d"),
            channel: room, operation: .deleteMessage(message), mutation: nil)
        #expect(try refusal(decomposed) == "not_owner")
    }

    @Test("for the log there is what was deleted, by whom, once", arguments: [1000, 4])
    func tellsOfDeletions(rowsMax: Int) throws {
        let bench = LedgerBench(deletedRowsMax: rowsMax)
        var told: [DeletionRecord] = []
        func settle(_ write: Write) {
            told += bench.commit(write).deleted
            while bench.hasWork { told += bench.work()?.deleted ?? [] }
        }
        for number in 1...3 { _ = try bench.reply(.publish(.numbered(UInt64(number)))) }
        for user in 1...20 { _ = try bench.reply(.add(.on(1000, by: "user\(user)"))) }
        _ = try bench.reply(.publish(.numbered(4), hoursKept: 1))

        settle(bobs(.deleteMessage(tick(1000))))
        settle(write(.deleteMessage(tick(7))))
        #expect(told.isEmpty)
        for _ in 0..<2 { settle(write(.deleteMessage(tick(1000)), mutation: "own")) }
        for _ in 0..<2 {
            settle(bobs(.deleteMessages(after: tick(1000), through: tick(1002))))
        }
        // What is over is nobody's doing.
        bench.wall += 1 << 40
        _ = bench.commitExpired()
        while bench.hasWork { told += bench.work()?.deleted ?? [] }

        #expect(
            told == [
                DeletionRecord(
                    range: MessageRange(after: tick(999), through: tick(1000)), isOwn: true,
                    channel: room, author: Author(userID: "ada", deviceID: "phone")),
                DeletionRecord(
                    range: MessageRange(after: tick(1000), through: tick(1002)), isOwn: false,
                    channel: room, author: Author(userID: "bob", deviceID: "phone")),
            ])
    }

    @Test("the caps of a message hold for edits, too")
    func caps() throws {
        var rules = ReactionRules()
        rules.actionsMax = 2
        _ = try bench.reply(.publish(.numbered(1)))
        for number in 0..<2 {
            _ = try bench.reply(.edit(.on(1000, "\(number)", type: "edited"), under: rules))
        }
        let third = Write.Operation.edit(.on(1000, "3", type: "edited"), under: rules)
        #expect(try refusal(write(third)) == "too_many_actions")
    }

    @Test("an author deletes one message with all that is on it, in one event")
    func deletes() throws {
        _ = bench.commit(write(.publish(.numbered(1))), write(.publish(.numbered(2))))
        _ = bench.commit(write(.add(.on(1000))), write(edit("3")), write(.add(.on(1001))))

        let commit = bench.commit(write(.deleteMessage(tick(1000)), mutation: "d"))

        #expect(
            commit.events.map(\.event) == [.messagesDeleted(after: tick(999), through: tick(1000))])
        #expect(commit.events[0].timetoken == tick(1005))
        #expect(try commit.answers[0].result.get() == .messageDeleted(tick(1005)))
        #expect(commit.digests[room]?.count == 2)
        #expect(
            try bench.reply(.deleteMessage(tick(1000)), mutation: "d")
                == .messageDeleted(tick(1005)))
        #expect(try bench.reply(.deleteMessage(tick(1000))) == .messageDeleted(nil))
        #expect(try refusal(write(edit("4"))) == "no_such_message")
    }

    @Test("a message with more on it than one commit deletes is deleted in steps")
    func deletesLarge() throws {
        let directory = try ScratchDirectory()
        let store = try SQLStore(directory: directory.path)
        let bench = LedgerBench(store, deletedRowsMax: 8)
        let message = bench.commit(write(.publish(.numbered(1)))).events[0].timetoken
        for number in 0..<40 as Range<UInt64> {
            _ = try bench.reply(.add(.on(message.rawValue, "v\(number)")))
        }

        let first = bench.commit(write(.deleteMessage(message), mutation: "d"))

        #expect(first.answers.isEmpty && first.events.isEmpty)
        var done: Commit?
        for _ in 0..<99 where bench.hasWork { done = bench.work() ?? done }
        let commit = try #require(done)
        let place = try #require(commit.events.first?.timetoken)
        #expect(try commit.answers[0].result.get() == .messageDeleted(place))
        #expect(
            commit.events.map(\.event) == [
                .messagesDeleted(
                    after: Timetoken(rawValue: message.rawValue - 1), through: message)
            ])
        #expect(commit.digests[room] == .empty)
        #expect(!bench.hasWork)
        #expect(
            try bench.reply(.deleteMessage(message), mutation: "d") == .messageDeleted(place))
    }
}
