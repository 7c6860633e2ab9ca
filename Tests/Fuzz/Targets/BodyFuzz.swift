// The body of a request, which may be compressed.

import EventModel
import JSON

@testable import SyncDaemon

/// What it inflates to is never more than was asked for, and JSON stays what it is.
enum BodyFuzz {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        for limit in [0, 100, 5000] {
            guard case .success(let body) = RequestBody.inflated(bytes, limit: limit) else {
                continue
            }
            try expect(body.count <= limit, "\(body.count) bytes, and \(limit) were asked for")
            let isJSON = (try? JSONValue(parsing: bytes, depthMax: Limits.jsonDepthMax)) != nil
            try expect(!isJSON || body == bytes, "JSON was inflated")
        }
    }
}
