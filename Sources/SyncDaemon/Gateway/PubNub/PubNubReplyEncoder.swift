// Answers to PubNub's SDKs, byte for byte as its service writes them.

import EventModel
import JSON

/// Writes each answer as one whole response.
enum PubNubReplyEncoder {
    /// - Source: The one timetoken of all answers that is a number.
    static func time(_ now: Timetoken) -> HTTPResponse {
        response { json in
            json.beginArray()
            json.integer(now.rawValue)
            json.endArray()
        }
    }

    /// For messages and signals; Swift refuses a number in the third place.
    static let revoked = response { json in
        json.beginObject()
        json.beginObject("data")
        json.member("message", "Success")
        json.endObject()
        json.member("service", "Access Manager")
        json.member("status", 200)
        json.endObject()
    }

    static func granted(_ token: String) -> HTTPResponse {
        response { json in
            json.beginObject()
            json.beginObject("data")
            json.member("message", "Success")
            json.member("token", token)
            json.endObject()
            json.member("service", "Access Manager")
            json.member("status", 200)
            json.endObject()
        }
    }

    static func published(_ timetoken: Timetoken) -> HTTPResponse {
        response { json in
            json.beginArray()
            json.integer(1)
            json.string("Sent")
            json.quoted(timetoken.rawValue)
            json.endArray()
        }
    }

    /// One response with the JSON that the closure writes.
    static func response(
        reserving capacity: Int = 256, _ body: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var json = JSONWriter(reserving: capacity)
        body(&json)
        return .pubNub(200, json.bytes)
    }
}
