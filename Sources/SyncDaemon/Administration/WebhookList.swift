// What operators see of webhooks, and what they may have done, wherever they ask.

import EventModel
import JSON

enum WebhookList {
    static func json(of webhooks: WebhookThread, _ interceptors: InterceptorThread) -> [UInt8] {
        json(of: webhooks.figures, interceptors.figures, isFull: webhooks.isStoreFull)
    }

    /// - Parameter isFull: Whether what was delivered may stay in a queue for want of room.
    static func json(
        of webhooks: [String: WebhookFigures], _ interceptors: [String: InterceptorFigures] = [:],
        isFull: Bool
    ) -> [UInt8] {
        Administration.json { json in
            json.beginArray("webhooks")
            for (name, figures) in webhooks.sorted(by: { $0.key < $1.key }) {
                json.write(figures, of: name, isFull: isFull)
            }
            json.endArray()
            json.beginArray("interceptors")
            for (name, figures) in interceptors.sorted(by: { $0.key < $1.key }) {
                json.write(figures, of: name)
            }
            json.endArray()
        }
    }

    /// Has a webhook's receiver, and an interceptor of that name, asked again at once.
    ///
    /// - Returns: How many events wait; `nil`: there is neither.
    static func retry(
        _ name: String, of webhooks: WebhookThread, _ interceptors: InterceptorThread
    ) -> Int? {
        let figures = webhooks.figures[name].flatMap { $0.isRemoved ? nil : $0 }
        if figures != nil { webhooks.retry(name) }
        let isInterceptor = interceptors.retry(name)
        guard figures != nil || isInterceptor else { return nil }
        return figures?.uses.waiting.rows ?? 0
    }

    /// Whether there is no such webhook any more, and still something for it.
    static func isRemoved(_ name: String, of webhooks: WebhookThread) -> Bool {
        webhooks.figures[name]?.isRemoved == true
    }

    /// Has the dead letters of one sent once more.
    ///
    /// - Returns: How many events; `nil`: there is no such webhook.
    static func replay(_ name: String, of webhooks: WebhookThread) -> Int? {
        guard let figures = webhooks.figures[name], !figures.isRemoved else { return nil }
        webhooks.revive(name)
        return figures.uses.dead.rows
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ figures: WebhookFigures, of name: String, isFull: Bool) {
        beginObject()
        member("name", name)
        if figures.isRemoved { member("removed", true) }
        member("delivered", figures.delivered)
        member("requests", figures.requests)
        member("failures", figures.failed)
        if figures.missed > 0 { member("missed", figures.missed) }
        member("waiting", figures.uses.waiting.rows)
        member("failing", figures.failingSince != nil)
        if figures.failingSince != nil {
            member("reason", figures.reason)
        } else if isFull, figures.uses.waiting.rows > 0 {
            member("reason", "The disk is full: what was delivered goes once there is room.")
        }
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

    fileprivate mutating func write(_ figures: InterceptorFigures, of name: String) {
        beginObject()
        member("name", name)
        member("url", figures.url)
        member("asked", figures.asked)
        member("refused", figures.refused)
        member("changed", figures.changed)
        member("failures", figures.failed)
        member("waiting", figures.waiting)
        member("failing", figures.state != .works)
        if !figures.reason.isEmpty { member("reason", figures.reason) }
        endObject()
    }
}
