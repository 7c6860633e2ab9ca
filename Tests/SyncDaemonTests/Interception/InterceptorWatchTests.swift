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
        func heard(_ told: (InterceptorVerdict, InterceptorState)...) -> [Bool] {
            told.map { watch.heed($0.0, of: interceptor, in: $0.1, at: 1) }
        }
        #expect(
            heard((silence, .works), (silence, .fails), (silence, .fails)) == [false, true, false])
        watch.tryAnew(interceptor.name)
        // As if it had never failed; the health hears of it once more, the log has it.
        #expect(heard((silence, .works), (silence, .fails)) == [false, true])
        #expect(heard((.allowed(), .works), (.allowed(), .works)) == [true, false])
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
