// A request's target, query and body as PubNub's dialect reads them: "METHOD TARGET\nBODY".

import EventModel
import JSON

@testable import SyncDaemon

/// Each is a request or an error that the SDK can read, and a target means what its parts say.
enum TargetFuzz {
    private static let now = Timetoken(rawValue: 17_334_108_309_073_692)

    static func check(_ bytes: [UInt8]) throws(Finding) {
        let parts = bytes.parts(2)
        let line = parts[0].parts(2, at: UInt8(ascii: " "))
        guard line.count == 2 else { return }
        let request = HTTPRequest(
            method: HTTPRequest.Method(rawValue: line[0].text) ?? .other, target: line[1].text,
            body: parts.count > 1 ? parts[1] : [])
        try check(request.target)
        switch PubNubRequestDecoder.decode(request, now: now) {
        case nil: return
        case .success(let decoded):
            try expect(
                decoded.userID.utf8.count <= Limits.identifierBytesMax
                    && decoded.subscribeKey.utf8.count <= Limits.identifierBytesMax,
                "names beyond their limit in \(decoded)")
        case .failure(let error):
            let response = error.response
            try expect(
                [400, 403, 404, 405, 413, 414, 415, 481, 501].contains(response.status),
                "an error \(response.status)")
            try expect(
                (try? JSONValue(parsing: response.body)) != nil,
                "an error that is not JSON: \(response.body.text)")
        }
    }

    /// Escaped anew, the parts of a target are the same parts.
    private static func check(_ text: String) throws(Finding) {
        guard let target = RequestTarget(text), let query = try? target.query() else { return }
        var escaped = ""
        for index in target.segments.indices {
            guard let segment = try? target.segment(index) else { return }
            escaped += "/" + escape(segment)
        }
        let members = query.members.map { "\(escape($0.name))=\(escape($0.value))" }
        escaped += "?" + members.joined(separator: "&")
        guard let again = RequestTarget(escaped) else {
            throw Finding(description: "\(escaped) is no target")
        }
        try expect((try? again.query()) == query, "\(escaped) has another query than \(text)")
        for index in target.segments.indices {
            try expect(
                (try? again.segment(index)) == (try? target.segment(index)),
                "\(escaped) has another path than \(text)")
        }
    }

    private static func escape(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
