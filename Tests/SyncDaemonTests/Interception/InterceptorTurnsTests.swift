// When interceptors are asked.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: turns")
struct InterceptorTurnsTests {
    private func question(
        _ number: UInt64, to name: String = "moderator", until deadline: UInt64 = 1000
    ) -> InterceptorQuestion {
        let origin = Origin(reactor: 0, session: SessionID(slot: 1, generation: 0), command: 1)
        let announcement = Announcement(
            channel: Channel("room"), uuid: "ada", event: .signal(Message(payload: "1")),
            origin: origin)
        return InterceptorQuestion(
            number: number, interceptor: Interceptor(name: name),
            item: .announcement(announcement, origin: origin), deadline: deadline)
    }

    @Test("so many are asked at a time, for each interceptor; the others wait until their time")
    func concurrency() {
        var turns = InterceptorTurns()
        let most = UInt64(Limits.interceptorRequestsMax)
        for number in 0..<most + 2 { turns.add(question(number, until: 1000 + number)) }
        turns.add(question(999, to: "other"))

        let step = turns.step(at: 0)
        #expect(Set(step.asked.map(\.number)) == Set(0..<most).union([999]))
        #expect(step.failed.isEmpty && step.next == 1000 + most)
        #expect(turns.ended(question(0), failed: false) == nil)
        #expect(turns.step(at: 1).asked.map(\.number) == [most])
        let late = turns.step(at: 1001 + most)
        #expect(late.asked.isEmpty && late.failed.map(\.question.number) == [most + 1])
    }

    @Test("one that has failed too often is asked once a second, until it answers")
    func failures() {
        var turns = InterceptorTurns()
        var number: UInt64 = 0
        func asked(at now: UInt64) -> (asked: Int, failed: Int) {
            number += 2
            turns.add(question(number, until: now + 1000))
            turns.add(question(number + 1, until: now + 1000))
            let step = turns.step(at: now)
            return (step.asked.count, step.failed.count)
        }
        for count in 1...Limits.interceptorFailuresMax {
            turns.add(question(number))
            #expect(turns.step(at: 0).asked.count == 1)
            let change = turns.ended(question(number), failed: true)
            #expect(change == (count == Limits.interceptorFailuresMax ? true : nil))
        }
        #expect(turns.failing == ["moderator"])
        #expect(asked(at: 10) == (1, 1), "the first of a second tries it")
        #expect(asked(at: 20) == (0, 2), "while that is under way nobody does")
        #expect(turns.ended(question(0), failed: true) == nil)
        #expect(asked(at: 1009) == (0, 2))
        #expect(asked(at: 1010) == (1, 1))
        #expect(turns.ended(question(0), failed: false) == false)
        #expect(turns.failing.isEmpty)
        #expect(asked(at: 1011) == (2, 0))
    }

    @Test("a reload has it asked again at once")
    func reloaded() {
        var turns = InterceptorTurns()
        for _ in 0..<Limits.interceptorFailuresMax {
            turns.add(question(1))
            _ = turns.step(at: 0)
            _ = turns.ended(question(1), failed: true)
        }
        turns.forgetFailures()
        #expect(turns.failing.isEmpty)
        for number in 0..<5 { turns.add(question(UInt64(number))) }
        #expect(turns.step(at: 1).asked.count == 5)
    }
}
