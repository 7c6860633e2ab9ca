// What operators see of webhooks, and what they may have done.

import EventModel
import JSON

/// Routes at the operators' address, or where `/metrics` is.
struct WebhookEndpoints: Sendable {
    let webhooks: WebhookThread
    let entrance: Entrance?

    var routes: [HTTPRoute] {
        guard let entrance else { return [] }
        var replay = HTTPRoute(
            method: .post, path: PathPattern("webhooks/{name}/replay"), entrances: [entrance]
        ) { asking in
            .now(self.replay(asking.request))
        }
        replay.isNamed = false
        return [
            .get("webhooks", at: [entrance]) { _ in .json(200, list) },
            replay,
        ]
    }

    private var list: [UInt8] {
        var json = JSONWriter(reserving: 1024)
        json.beginObject()
        json.beginArray("webhooks")
        for (name, figures) in webhooks.figures.sorted(by: { $0.key < $1.key }) {
            json.write(figures, of: name)
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func replay(_ request: HTTPRequest) -> HTTPResponse {
        let name = RequestTarget(request.target).flatMap { try? $0.segment(1) } ?? ""
        guard let figures = webhooks.figures[name] else {
            return .error(404, "There is no webhook of this name; GET /webhooks lists them.")
        }
        webhooks.revive(name)
        var json = JSONWriter()
        json.beginObject()
        json.member("events", figures.uses.dead.rows)
        json.endObject()
        return .json(202, json.bytes)
    }
}

extension HTTPResponse {
    fileprivate static func json(_ status: Int, _ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json",
            text: String(decoding: bytes, as: UTF8.self) + "\n")
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ figures: WebhookFigures, of name: String) {
        beginObject()
        member("name", name)
        member("delivered", figures.delivered)
        member("requests", figures.requests)
        member("failures", figures.failed)
        member("waiting", figures.uses.waiting.rows)
        member("failing", figures.failingSince != nil)
        if figures.failingSince != nil { member("reason", figures.reason) }
        member("deadLetters", figures.uses.dead.rows)
        beginArray("oldestDead")
        for batch in figures.oldestDead {
            beginObject()
            member("id", DeliveryBody.id(of: batch.place))
            member("events", batch.events)
            member("reason", batch.reason)
            member("died", quoted: batch.died.rawValue)
            endObject()
        }
        endArray()
        endObject()
    }
}
