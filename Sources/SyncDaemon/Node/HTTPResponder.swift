// The operations endpoints: health, readiness, metrics.

import Basis
import Synchronization

/// Answers the daemon's own HTTP requests, on any reactor's thread.
final class HTTPResponder: Sendable {
    private let node = Locked<Node?>(nil)

    /// The reactors start before the node that they belong to is complete.
    func connect(_ node: Node) {
        self.node.withLock { $0 = node }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard ["/healthz", "/readyz", "/metrics", "/v1/sync"].contains(String(request.path)) else {
            return .error(
                404, "Nothing is here. There are /v1/sync, /healthz, /readyz and /metrics.")
        }
        guard request.method == .get || request.method == .head else {
            return .error(405, "Use GET.")
        }
        let node = node.withLock { $0 }
        switch request.path {
        case "/healthz": return .plain(200, "ok")
        case "/readyz":
            return readiness(of: node)
        case "/metrics": return .plain(200, node.map(Metrics.text) ?? "")
        default: return .error(426, "This is a WebSocket. Connect with ws:// and send hello.")
        }
    }

    /// One line for each trouble, behind its name.
    private func readiness(of node: Node?) -> HTTPResponse {
        guard let node, node.isReady.load(ordering: .relaxed) else {
            return .plain(503, "starting or stopping")
        }
        let troubles = node.health.troubles
        guard !troubles.isEmpty else { return .plain(200, "ready") }
        let lines = troubles.map { "\($0.cause.rawValue): \($0.text)" }
        return .plain(503, "not ready\n" + lines.joined(separator: "\n"))
    }
}

extension HTTPResponse {
    fileprivate static func plain(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "text/plain; charset=utf-8",
            text: text.hasSuffix("\n") ? text : text + "\n")
    }
}
