// What a connection sends before it is a WebSocket: requests, or a request for one.

import Basis

@testable import SyncDaemon

/// However the bytes are cut, they are the same requests; and what was read, written anew, is read
/// as the same again.
enum HTTPFuzz {
    private enum Outcome: Hashable {
        case request(HTTPRequest)
        case upgrade(UpgradeRequest, rest: [UInt8])
        case refusal(HTTPRefusal, isHead: Bool)
    }

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var choices = bytes.choices
        let whole = outcomes([bytes])
        let cut = outcomes(bytes.pieces(&choices))
        try expect(whole == cut, "whole: \(whole); in pieces: \(cut)")
        for outcome in whole {
            switch outcome {
            case .request(let request): try check(request)
            case .upgrade(let upgrade, _): try check(upgrade)
            case .refusal(let refusal, _):
                let status = refusal.response.status
                let isOurs = [400, 405, 411, 413, 414, 426, 431, 505].contains(status)
                try expect(isOurs && !refusal.response.keepsConnection, "refused with \(status)")
            }
        }
    }

    /// Each request is answered at once, as by a daemon that is faster than any client.
    private static func outcomes(_ pieces: [[UInt8]]) -> [Outcome] {
        var connection = HTTPConnection()
        var outcomes: [Outcome] = []
        for (number, piece) in pieces.enumerated() {
            var step: HTTPConnection.Step? = connection.receive(piece.span)
            while let present = step {
                step = nil
                switch present {
                case .wait, .sendContinue, .hangUp, .part: break
                case .request(let request):
                    outcomes.append(.request(request))
                    _ = connection.answer(HTTPResponse(status: 200, contentType: "", body: []))
                    if connection.responseHasLeft() { step = connection.readOn() }
                case .upgrade(let upgrade):
                    let rest = connection.takeRest() + pieces[(number + 1)...].joined()
                    return outcomes + [.upgrade(upgrade, rest: rest)]
                case .refuse(let refusal, let isHead):
                    return outcomes + [.refusal(refusal, isHead: isHead)]
                }
            }
        }
        return outcomes
    }

    private static func check(_ request: HTTPRequest) throws(Finding) {
        let isText = request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        try expect(isText, "a target with \(request.target)")
        try expect(
            request.provenance.host.map(RequestRules.isHost) ?? true,
            "a host \(String(describing: request.provenance.host))")
        guard request.method != .other else { return }
        var expected = request
        expected.provenance.host = request.provenance.host ?? "x"
        var head = "\(request.method.rawValue) \(request.target) HTTP/1.1\r\n"
        head += "Host: \(expected.provenance.host ?? "")\r\n"
        if let origin = request.provenance.origin { head += "Origin: \(origin)\r\n" }
        if let site = request.provenance.site { head += "Sec-Fetch-Site: \(site)\r\n" }
        if let type = request.fields.contentType { head += "Content-Type: \(type)\r\n" }
        head += "Content-Length: \(request.bodyLength ?? request.body.count)\r\n\r\n"
        let again = outcomes([Array(head.utf8) + request.body])
        try expect(again == [.request(expected)], "\(request) became \(again)")
    }

    private static func check(_ upgrade: UpgradeRequest) throws(Finding) {
        try expect(
            upgrade.key.utf8.count == 24 && !upgrade.query.values.contains { $0.contains("\0") },
            "an upgrade with \(upgrade)")
        let lines = upgrade.acceptance.text.components("\r\n")
        try expect(
            lines.count == (upgrade.offersSubprotocol ? 7 : 6) && lines.suffix(2) == ["", ""],
            "an acceptance of \(lines)")
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
