// The log is told of what webhooks missed at once, and then once a minute at most.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Webhooks: missed events")
struct MissedEventsTests {
    private func figures(_ missed: [String: Int]) -> [String: WebhookFigures] {
        missed.mapValues { count in
            var figures = WebhookFigures()
            figures.missed = count
            return figures
        }
    }

    @Test("each is told once, the later ones together")
    func told() {
        var missed = MissedEvents()
        let pause = UInt64(Limits.reminderSeconds) * 1000

        #expect(missed.news(figures(["hook": 0, "other": 0]), at: 1) == [:])
        #expect(missed.news(figures(["hook": 3, "other": 0]), at: 2) == ["hook": 3])
        #expect(missed.news(figures(["hook": 9, "other": 1]), at: 1 + pause) == [:])
        #expect(
            missed.news(figures(["hook": 9, "other": 1]), at: 2 + pause) == ["hook": 6, "other": 1])
        #expect(missed.news(figures(["hook": 9, "other": 1]), at: 2 + 2 * pause) == [:])
        // Who ends says at once what is left to say.
        #expect(missed.news(figures(["hook": 10]), at: 2 + 2 * pause) == ["hook": 1])
        #expect(missed.news(figures(["hook": 12]), at: 3 + 2 * pause) == [:])
        #expect(missed.news(figures(["hook": 12]), at: 3 + 2 * pause, isLast: true) == ["hook": 2])
    }
}
