// When interceptors are asked.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: turns")
struct InterceptorTurnsTests {
    private func question(
        _ number: UInt64, by user: String = "ada", of keyset: String = "app",
        to name: String = "moderator", until deadline: UInt64 = 1000
    ) -> InterceptorQuestion {
        let origin = Origin(
            reactor: 0, session: SessionID(slot: 1, generation: 0), command: 1)
        let announcement = Announcement(
            channel: Channel("room", keyset: keyset), uuid: user,
            event: .signal(Message(payload: "1")), origin: origin)
        return InterceptorQuestion(
            number: number, interceptor: Interceptor(name: name),
            item: .announcement(announcement, origin: origin), deadline: deadline)
    }

    @Test("so many are asked at a time, for each interceptor; who waits too long is not asked")
    func concurrency() {
        var turns = InterceptorTurns()
        let most = UInt64(Limits.interceptorRequestsAtFirst)
        for number in 0..<most + 3 {
            turns.add(question(number, of: "\(number % 4)", until: 1000 + number))
        }
        turns.add(question(999, to: "other"))

        let step = turns.step(at: 0)
        #expect(Set(step.asked.map(\.number)) == Set(0..<most).union([999]))
        #expect(step.decided.isEmpty && step.next == 1000 + most)
        _ = turns.ended(question(0, of: "0"), .right, at: 1)
        // A prompt answer makes room for one more.
        #expect(turns.step(at: 1).asked.map(\.number) == [most, most + 1])
        let late = turns.step(at: 1002 + most)
        #expect(late.asked.isEmpty && late.decided.map(\.question.number) == [most + 2])
        #expect(late.decided.map(\.verdict) == [.unasked], "no fault of the interceptor's")
        #expect(turns.troubled.isEmpty)
    }

    @Test("users are asked about in turn, however much one of them writes")
    func fairness() {
        var turns = InterceptorTurns()
        for number in 0..<UInt64(200) { turns.add(question(number, by: "eve")) }
        #expect(turns.step(at: 0).asked.count == 12, "not all that may be under way")
        for number in 0..<UInt64(3) { turns.add(question(1000 + number, by: "bob")) }
        // The last two of the 16 are other tenants'.
        #expect(turns.step(at: 1).asked.map(\.number) == [1000, 1001])
        for number in 0..<UInt64(6) { _ = turns.ended(question(number, by: "eve"), .right, at: 2) }
        let later = turns.step(at: 2).asked.map(\.number)
        #expect(later.contains(1002) && later.count == 10, "21 now, 18 of a tenant's")
    }

    @Test("tenants are asked about in turn, however many users one of them has")
    func tenants() {
        var turns = InterceptorTurns()
        for number in 0..<UInt64(1000) {
            turns.add(question(number, by: "eve-\(number)", of: "flood"))
        }
        var asked = turns.step(at: 0).asked
        #expect(asked.count == 14, "not all that may be under way")
        for number in 0..<UInt64(100) { turns.add(question(1000 + number, of: "den")) }
        asked += turns.step(at: 1).asked
        #expect(asked.count == Limits.interceptorRequestsAtFirst)
        // One after the other from now on.
        var later: [InterceptorQuestion] = []
        while later.count < 40, let ended = asked.first {
            asked.removeFirst()
            _ = turns.ended(ended, .right, at: 2)
            let next = turns.step(at: 2).asked
            #expect(!next.isEmpty)
            later += next
            asked += next
        }
        #expect(later.count { $0.item.channel.keyset == "den" } >= 19)
    }

    @Test("whoever writes how much, all is asked about or told, and nothing twice")
    func model() {
        var choices = SeededGenerator(seed: 7)
        for _ in 0..<30 {
            var turns = InterceptorTurns()
            var (added, asked): (UInt64, [InterceptorQuestion]) = (0, [])
            var seen: [UInt64] = []
            for now in 0..<UInt64(400) {
                for _ in 0..<choices.below(4) where now < 300 {
                    let user = choices.chance(60) ? "eve" : "user-\(choices.below(20))"
                    turns.add(
                        question(
                            added, by: user, of: "\(choices.below(3))",
                            until: now + UInt64(choices.below(100)) + 1))
                    added += 1
                }
                let step = turns.step(at: now)
                asked += step.asked
                seen += (step.asked + step.decided.map(\.question)).map(\.number)
                #expect(asked.count <= Limits.interceptorRequestsMax)
                for _ in 0..<choices.below(4) where !asked.isEmpty {
                    let ended = asked.remove(at: choices.below(asked.count))
                    _ = turns.ended(ended, choices.chance(20) ? .none : .right, at: now)
                }
            }
            #expect(seen.sorted() == Array(0..<added))
        }
    }

    private func end(
        _ question: InterceptorQuestion, _ answer: InterceptorAnswer, at now: UInt64,
        _ turns: inout InterceptorTurns
    ) {
        let isTooMuch = turns.ended(question, answer, at: now)
        #expect(!isTooMuch)
    }

    private func failing(_ turns: inout InterceptorTurns) {
        for count in 1...Limits.interceptorFailuresMax {
            let next = question(0, by: "user-\(count % 3)")
            turns.add(next)
            #expect(turns.step(at: 0).asked.count == 1)
            end(next, .none, at: 0, &turns)
            let isOver = count == Limits.interceptorFailuresMax
            #expect(turns.state(of: "moderator") == (isOver ? .fails : .works))
        }
        #expect(turns.troubled == ["moderator"])
    }

    @Test("one that has failed too often is asked once a second, until it answers")
    func failures() {
        var turns = InterceptorTurns()
        failing(&turns)
        func asked(at now: UInt64) -> (asked: Int, failed: Int) {
            turns.add(question(now * 2, until: now + 1000))
            turns.add(question(now * 2 + 1, until: now + 1000))
            let step = turns.step(at: now)
            let isFailed = step.decided.allSatisfy {
                if case .failed = $0.verdict { true } else { false }
            }
            #expect(isFailed)
            return (step.asked.count, step.decided.count)
        }
        #expect(asked(at: 10) == (1, 1), "the first of a second tries it")
        #expect(asked(at: 20) == (0, 2), "while that is under way nobody does")
        end(question(20), .none, at: 1009, &turns)
        #expect(asked(at: 1009) == (0, 2))
        #expect(asked(at: 1010) == (0, 2), "the same user has no second turn so soon")
        #expect(asked(at: 2010) == (1, 1))
        end(question(4020), .right, at: 2010, &turns)
        #expect(turns.troubled.isEmpty)
        #expect(asked(at: 2011) == (2, 0))
    }

    @Test("what one user writes cannot keep an interceptor from being tried by another")
    func probes() {
        var turns = InterceptorTurns()
        failing(&turns)
        turns.add(question(1, by: "eve"))
        #expect(turns.step(at: 10).asked.count == 1)
        end(question(1, by: "eve"), .none, at: 1010, &turns)
        for number in 2..<50 { turns.add(question(UInt64(number), by: "eve", until: 3000)) }
        turns.add(question(50, by: "bob", until: 3000))
        #expect(turns.step(at: 1500).asked.map(\.number) == [50])
    }

    @Test("one that answers what is none is a trouble, and is asked all the same")
    func wrongAnswers() {
        var turns = InterceptorTurns()
        func ask(_ answer: InterceptorAnswer) {
            turns.add(question(0))
            #expect(turns.step(at: 0).asked.count == 1)
            end(question(0), answer, at: 0, &turns)
        }
        for _ in 1..<Limits.interceptorWrongMax { ask(.wrong) }
        ask(.right)
        for _ in 1..<Limits.interceptorWrongMax { ask(.wrong) }
        #expect(turns.troubled.isEmpty, "not in a row")
        ask(.none)
        #expect(turns.state(of: "moderator") == .answersWrongly)
        #expect(turns.troubled == ["moderator"])
        for _ in 0..<Limits.interceptorFailuresMax { ask(.wrong) }
        ask(.right)
        #expect(turns.troubled.isEmpty)
    }

    @Test("an operator has one of them asked again at once")
    func retried() {
        var turns = InterceptorTurns()
        failing(&turns)
        turns.forgetFailures(of: "other")
        #expect(turns.troubled == ["moderator"])
        turns.forgetFailures(of: "moderator")
        for number in 0..<5 { turns.add(question(UInt64(number))) }
        #expect(turns.step(at: 1).asked.count == 5)
    }

    @Test("a reload has it asked again at once")
    func reloaded() {
        var turns = InterceptorTurns()
        failing(&turns)
        turns.forgetFailures()
        #expect(turns.troubled.isEmpty)
        for number in 0..<5 { turns.add(question(UInt64(number))) }
        #expect(turns.step(at: 1).asked.count == 5)
    }
}
