// What operators hear of an interceptor that fails, is tried again, and answers.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: what operators hear")
struct InterceptorWatchTests {
    private let interceptor = Interceptor(name: "moderator")

    /// Found by an attack: after a retry the failure never ended in the log.
    @Test("a failure ends when it answers, also after somebody had it asked again")
    func retried() {
        let lines = LogLines()
        var watch = InterceptorWatch(health: Health(), log: lines.log)
        let silence = InterceptorVerdict.failed(reason: "no answer")
        // As if it had never failed, and the first question since has no answer.
        let heard = [
            (silence, InterceptorState.fails), (silence, .works), (silence, .fails),
            (.allowed(), .works), (.allowed(), .works),
        ].enumerated().map { number, told in
            watch.heed(told.0, of: interceptor, in: told.1, at: UInt64(number))
        }
        #expect(heard == [true, false, false, true, false])
        #expect(lines.messages.filter { $0 == "An interceptor answers again." }.count == 1)
        #expect(lines.messages.filter { $0.hasPrefix("An interceptor fails") }.count == 1)
    }

    @Test("one that is gone is forgotten")
    func gone() {
        let lines = LogLines()
        var watch = InterceptorWatch(health: Health(), log: lines.log)
        _ = watch.heed(.failed(reason: "no answer"), of: interceptor, in: .fails, at: 1)
        watch.keep(["another"])
        let isNews = watch.heed(.allowed(), of: interceptor, in: .works, at: 2)
        #expect(!isNews)
    }
}
