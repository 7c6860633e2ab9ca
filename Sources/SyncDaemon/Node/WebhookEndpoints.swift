// What operators see of webhooks without the administration's key, and what they may have done.

import EventModel
import JSON

/// Routes at the operators' address, or where `/metrics` is.
struct WebhookEndpoints: Sendable {
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    let administration: Administration
    let entrances: Set<Entrance>

    var routes: [HTTPRoute] {
        var replay = HTTPRoute(
            method: .post, path: PathPattern("webhooks/{name}/replay"), entrances: entrances
        ) { asking in
            .now(self.replay(asking))
        }
        replay.isNamed = false
        return [
            .get("webhooks", at: entrances) { _ in
                .admin(200, WebhookList.json(of: webhooks, interceptors))
            },
            replay,
        ]
    }

    private func replay(_ asking: HTTPAsking) -> HTTPResponse {
        let name = RequestTarget(asking.request.target).flatMap { try? $0.segment(1) } ?? ""
        let request = AdminRequest(["name": name], peer: AdminRoutes.peer(of: asking))
        let result = Result { () throws(AdminError) in try administration.replay(request) }
        administration.note(.replay, request, result)
        switch result {
        case .success(let json): return .admin(202, json)
        case .failure(let error) where error.status == 404:
            return .error(404, "There is no webhook of this name; GET /webhooks lists them.")
        case .failure(let error): return error.response
        }
    }
}
