// What operators see of webhooks without the administration's key, and what they may have done.

import EventModel
import JSON

/// Routes at the operators' address, or where `/metrics` is.
struct WebhookEndpoints: Sendable {
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    let entrances: Set<Entrance>

    var routes: [HTTPRoute] {
        var replay = HTTPRoute(
            method: .post, path: PathPattern("webhooks/{name}/replay"), entrances: entrances
        ) { asking in
            .now(self.replay(asking.request))
        }
        replay.isNamed = false
        return [
            .get("webhooks", at: entrances) { _ in
                .admin(200, WebhookList.json(of: webhooks, interceptors))
            },
            replay,
        ]
    }

    private func replay(_ request: HTTPRequest) -> HTTPResponse {
        let name = RequestTarget(request.target).flatMap { try? $0.segment(1) } ?? ""
        guard let events = WebhookList.replay(name, of: webhooks) else {
            if WebhookList.isRemoved(name, of: webhooks) {
                return AdminError.webhookRemoved(name).response
            }
            return .error(404, "There is no webhook of this name; GET /webhooks lists them.")
        }
        return .admin(202, Administration.json { $0.member("events", events) })
    }
}
