// Who waits behind whom while an interceptor is asked.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: lines")
struct InterceptionQueueTests {
    private let moderator = Interceptor(name: "moderator")

    private func write(
        _ number: CommandID, by session: UInt32 = 1, saying payload: String = "1",
        mutation: String? = nil, user: String = "ada", keyset: String = "app"
    ) -> Intercepted {
        .write(
            Write(
                origin: Origin(
                    reactor: 0, session: SessionID(slot: session, generation: 0), command: number),
                author: Author(keyset: keyset, userID: user, deviceID: "phone"),
                channel: Channel("room", keyset: keyset),
                operation: .publish(Message(payload: payload)), mutation: mutation))
    }

    private func question(_ taken: InterceptionQueue.Taken) throws -> InterceptorQuestion {
        guard case .waits(let question?) = taken else { throw Unexpected.taken }
        return question
    }

    private enum Unexpected: Error { case taken }

    @Test("without an interceptor nothing waits")
    func passes() {
        var queue = InterceptionQueue()
        guard case .passes = queue.take(write(1), asking: nil, at: 0) else {
            Issue.record("It waits.")
            return
        }
        #expect(queue.isEmpty)
    }

    @Test("answers in any order let a connection's writes go in theirs, and others overtake")
    func order() throws {
        var queue = InterceptionQueue()
        let first = try question(queue.take(write(1), asking: moderator, at: 5))
        let second = try question(queue.take(write(2), asking: moderator, at: 6))
        guard case .waits(nil) = queue.take(write(3), asking: nil, at: 7) else {
            Issue.record("It overtakes what it may undo.")
            return
        }
        let other = try question(queue.take(write(9, by: 2), asking: moderator, at: 8))

        #expect(first.deadline == 5 + UInt64(moderator.timeoutMilliseconds))
        #expect(queue.waiting == ["moderator": 4])
        #expect(queue.decide(second, .allowed()).writes.isEmpty)
        #expect(queue.decide(other, .allowed()).writes.map(\.item.origin.command) == [9])
        let released = queue.decide(first, .refused(reason: "no")).writes
        #expect(released.map(\.item.origin.command) == [1, 2, 3])
        #expect(released.map(\.answer) == [.failure(.refusedByInterceptor("no")), nil, nil])
        #expect(queue.isEmpty && queue.waiting.isEmpty)
    }

    @Test(
        "on_failure says what becomes of a write without an answer",
        arguments: [
            (Interceptor.Failing.refuse, ProtocolError.interceptorFailed as ProtocolError?),
            (.allow, nil),
        ])
    func failure(_ failing: Interceptor.Failing, _ refusal: ProtocolError?) throws {
        var asked = moderator
        asked.failing = failing
        var queue = InterceptionQueue()
        let question = try question(queue.take(write(1), asking: asked, at: 0))
        let released = queue.decide(question, .failed(reason: "dead"))
        #expect(released.writes.map(\.answer) == [refusal.map { .failure($0) }])
    }

    @Test("what was not asked is too much, and what cannot be written refused, whatever on_failure")
    func others() throws {
        for (verdict, refusal) in [
            (InterceptorVerdict.unasked, ProtocolError.overloaded),
            (.unusable(reason: "long"), .refusedByInterceptor("")),
        ] {
            var asked = moderator
            asked.failing = .allow
            var queue = InterceptionQueue()
            let question = try question(queue.take(write(1), asking: asked, at: 0))
            #expect(queue.decide(question, verdict).writes.map(\.answer) == [.failure(refusal)])
        }
    }

    @Test("an end answers everybody who waits, in their order")
    func end() throws {
        var queue = InterceptionQueue()
        _ = try question(queue.take(write(1), asking: moderator, at: 0))
        _ = queue.take(write(2), asking: nil, at: 0)
        let ended = queue.end(with: .draining)
        #expect(ended.map(\.item.origin.command) == [1, 2])
        #expect(ended.allSatisfy { $0.answer == .failure(.draining) } && queue.isEmpty)
    }

    @Test("what is changed says the new thing, and is the same write to a retry")
    func changed() throws {
        var queue = InterceptionQueue()
        let item = write(1, mutation: "m")
        let question = try question(queue.take(item, asking: moderator, at: 0))
        let released = queue.decide(question, .allowed(payload: "2", meta: "3")).writes
        guard case .write(let before) = item, case .write(let after)? = released.first?.item,
            case .publish(let message, _) = after.operation
        else { throw Unexpected.taken }
        #expect(message.payload == "2" && message.meta == "3")
        #expect(after.fingerprint == before.fingerprint && before.fingerprint != 0)
    }

    @Test("under one mutation the later question comes up when the earlier write has gone")
    func retries() throws {
        var queue = InterceptionQueue()
        let before = try question(queue.take(write(1), asking: moderator, at: 0))
        let first = try question(
            queue.take(write(2, mutation: "m"), asking: moderator, at: 0))
        for session: UInt32 in 2...3 {
            let retry = write(9, by: session, mutation: "m")
            guard case .waits(nil) = queue.take(retry, asking: moderator, at: 0) else {
                Issue.record("It is asked about while it may be known any moment.")
                return
            }
        }
        _ = try question(queue.take(write(9, by: 4, mutation: "n"), asking: moderator, at: 0))

        #expect(queue.decide(first, .allowed()).questions.isEmpty)
        var released = queue.decide(before, .allowed())
        for session: UInt32 in 2...3 {
            let retry = try #require(released.questions.first)
            #expect(released.questions.count == 1)
            #expect(retry.item.origin.session.slot == session)
            released = queue.answer(retry, .success(.published(Timetoken(rawValue: 7))))
            #expect(released.writes.map(\.answer) == [.success(.published(Timetoken(rawValue: 7)))])
        }
        #expect(released.questions.isEmpty)
        // All have gone: one more is the first again.
        _ = try question(queue.take(write(5, mutation: "m"), asking: moderator, at: 0))
    }

    /// Writes of a user that are taken before one is refused.
    private func flood(
        _ queue: inout InterceptionQueue, by user: String, of keyset: String = "app",
        saying payload: String = "1", to interceptor: Interceptor? = nil
    ) -> Int {
        var count = 0
        while count <= Limits.interceptedMax {
            let item = write(
                1, by: UInt32(count), saying: payload, user: user, keyset: keyset)
            let taken = queue.take(item, asking: interceptor ?? moderator, at: 0)
            guard case .waits = taken else { break }
            count += 1
        }
        return count
    }

    @Test("one interceptor has so much room, and another has its own")
    func full() throws {
        var queue = InterceptionQueue()
        var taken = 0
        // As many users as have to share: none of them finds more than a third of what is left.
        for number in 0..<Limits.interceptedMax {
            let item = write(1, by: UInt32(number), user: "\(number)", keyset: "\(number % 64)")
            guard case .waits = queue.take(item, asking: moderator, at: 0) else { break }
            taken += 1
        }
        #expect(taken > Limits.interceptedMax * 9 / 10 && taken <= Limits.interceptedMax)
        let before = queue.waiting
        #expect(flood(&queue, by: "0", of: "0") == 0)
        #expect(queue.waiting == before)
        #expect(flood(&queue, by: "ada", to: Interceptor(name: "other")) > 1000)
    }

    @Test("who floods is refused, and neither others of the tenant nor other tenants are")
    func shares() {
        var queue = InterceptionQueue()
        let alone = flood(&queue, by: "eve")
        #expect(alone == (Limits.interceptedMax + 2) / 3)
        // Others have room, however many of them flood as well.
        #expect(flood(&queue, by: "mallory") > 100)
        for number in 0..<3 { _ = flood(&queue, by: "eve-\(number)") }
        #expect(flood(&queue, by: "ada") > 0)
        for number in 0..<2000 { _ = flood(&queue, by: "sybil-\(number)") }
        #expect(flood(&queue, by: "bob", of: "den") > 500)
        for number in 0..<8 { _ = flood(&queue, by: "eve", of: "flood-\(number)") }
        #expect(flood(&queue, by: "ada", of: "last") > 0)
    }

    @Test("who floods with long writes is refused as well")
    func sharesOfBytes() {
        var queue = InterceptionQueue()
        let long = String(repeating: "1", count: 1 << 18)
        let alone = flood(&queue, by: "eve", saying: long)
        #expect((60...90).contains(alone), "a third of 256")
        #expect(flood(&queue, by: "bob", saying: long) > 10)
        #expect(flood(&queue, by: "ada", of: "den", saying: long) > 10)
        #expect(flood(&queue, by: "ada", of: "small", to: Interceptor(name: "other")) > 1000)
        #expect(queue.end(with: .draining).count > 1100)
        #expect(flood(&queue, by: "eve", saying: long) == alone, "all of it is given back")
    }

    @Test("bytes are counted as they came and go, also where a write becomes longer")
    func bytes() throws {
        var queue = InterceptionQueue()
        let large = String(repeating: "1", count: 1 << 20)
        for _ in 0..<3 {
            let questions = try (0..<20).map {
                try question(queue.take(write($0, saying: large), asking: moderator, at: 0))
            }
            for question in questions {
                _ = queue.decide(question, .allowed(payload: large + large, meta: nil))
            }
            #expect(queue.isEmpty)
        }
    }
}
