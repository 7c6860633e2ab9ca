// The operators' endpoints: health, readiness, metrics. A route of the daemon's own is a row here.

import Synchronization

/// The daemon's own routes; answered on any reactor's thread.
struct Endpoints: Sendable {
    let health: Health
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    let metrics: MetricsThread
    let exposure: Exposure
    let administration: Administration
    var files: FileService?
    /// `nil`: nobody wants one.
    var console: ConsoleRoutes?

    /// Where every page may ask: what is there is the same for all, and no page can read it.
    static let pathsForAll: Set<Substring> = ["/healthz", "/readyz"]

    /// How paths begin where every page may ask, too: their addresses are signed.
    static let beginningsForAll = [FilePath.downloads]

    /// What is for operators alone is a row at `.admin`.
    var routes: HTTPRoutes {
        HTTPRoutes(
            API.routes + healthRoutes + [
                .get("v1/sync") { _ in webSocket },
                HTTPRoute(
                    method: .get, path: PathPattern("metrics"), entrances: entrances,
                    answer: metrics.answer),
            ] + webhookRoutes + AdminRoutes(daemon: administration).routes
                + fileRoutes + (console?.routes ?? []),
            refusal: { [administration] in administration.refusal(of: $0) })
    }

    /// What load balancers and supervisors ask, which have no key.
    private var healthRoutes: [HTTPRoute] {
        var alive = HTTPRoute.get("healthz", at: Set(Entrance.allCases)) { _ in
            .plain(200, "ok")
        }
        var ready = HTTPRoute(
            method: .get, path: PathPattern("readyz"), entrances: Set(Entrance.allCases)
        ) { .now(readiness(for: $0.request)) }
        (alive.isForAll, ready.isForAll) = (true, true)
        return [alive, ready]
    }

    private var fileRoutes: [HTTPRoute] {
        guard let files else { return [] }
        return [
            HTTPRoute(method: .post, path: PathPattern(FilePath.upload), isNamed: false) {
                FileUpload.answer($0, files)
            },
            HTTPRoute(method: .get, path: PathPattern(FilePath.download), isNamed: false) {
                FileDownload.answer($0, files)
            },
            HTTPRoute(method: .options, path: PathPattern(FilePath.download), isNamed: false) {
                _ in .now(.downloadPreflight)
            },
        ]
    }

    private var webhookRoutes: [HTTPRoute] {
        WebhookEndpoints(
            webhooks: webhooks, interceptors: interceptors, administration: administration,
            entrances: entrances
        ).routes
    }

    /// Where there are figures.
    private var entrances: Set<Entrance> {
        Set([exposure.metricsEntrance, .local].compactMap(\.self))
    }

    /// What a request hears that asks for no upgrade.
    private var webSocket: HTTPResponse {
        var response = HTTPResponse.error(
            426, "This is a WebSocket. Connect with ws:// and send hello.")
        response.headers = UpgradeRequest.invitation
        return response
    }

    /// One line for each trouble, behind its name.
    private func readiness(for request: HTTPRequest) -> HTTPResponse {
        guard health.isServing.load(ordering: .relaxed) else {
            return .plain(503, "starting or stopping")
        }
        let troubles = health.troubles
        let isReady = !troubles.contains { $0.cause.concernsClients }
        let word = isReady ? "ready" : "not ready"
        let lines =
            exposure.showsTroubles(at: request.entrance)
                && administration.refusal(of: request) == nil
            ? troubles.map { "\n\($0.cause.rawValue): \($0.text)" } : []
        return .plain(isReady ? 200 : 503, word + lines.joined())
    }
}

extension HTTPResponse {
    static func plain(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "text/plain; charset=utf-8",
            text: text.hasSuffix("\n") ? text : text + "\n")
    }
}
