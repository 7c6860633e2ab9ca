// What operators see of a webhook whose queue does not get shorter.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

@Suite("The list of webhooks")
struct WebhookListTests {
    @Test(
        "says why a queue stands still",
        arguments: [
            (isFailing: false, isFull: false, waiting: 3, nil),
            (isFailing: true, isFull: false, waiting: 3, "status 500"),
            (isFailing: true, isFull: true, waiting: 3, "status 500"),
            (
                isFailing: false, isFull: true, waiting: 3,
                "The disk is full: what was delivered goes once there is room."
            ),
            (isFailing: false, isFull: true, waiting: 0, nil),
        ] as [(isFailing: Bool, isFull: Bool, waiting: Int, String?)])
    func reason(isFailing: Bool, isFull: Bool, waiting: Int, expected: String?) throws {
        var figures = WebhookFigures()
        figures.uses.waiting.rows = waiting
        figures.failingSince = isFailing ? 1 : nil
        figures.reason = "status 500"

        let text = String(
            decoding: WebhookList.json(of: ["audit": figures], isFull: isFull), as: UTF8.self)
        let hook = try JSONValue(parsing: text).array("webhooks").element(at: 0)

        #expect(try hook.optionalString("reason") == expected)
        #expect(try hook.flag("failing") == isFailing)
    }
}
