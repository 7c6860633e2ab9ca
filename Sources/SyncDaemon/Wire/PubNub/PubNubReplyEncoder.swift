// Answers to PubNub's SDKs, byte for byte as its service writes them: messages and polls.

import EventModel
import JSON

/// An event for a poll, with what the client called the subscription that it came by.
struct PolledEvent: Sendable, Hashable {
    let envelope: EncodedEnvelope
    /// `nil` for a channel that the client named by itself.
    let subscription: String?
}

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
    static func published(_ timetoken: Timetoken) -> HTTPResponse {
        response { json in
            json.beginArray()
            json.integer(1)
            json.string("Sent")
            json.quoted(timetoken.rawValue)
            json.endArray()
        }
    }

    /// - Parameters:
    ///   - events: Ascending; none when the poll's time is over.
    ///   - cursor: What the client sends next: the timetoken of the last of `events`.
    static func poll(events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        let size = events.reduce(64) { $0 + $1.envelope.json.count + 32 }
        return response(reserving: size) { json in
            json.beginObject()
            // First and compact: when a response is cut, Swift reads the cursor by position.
            json.name("t")
            json.beginObject()
            json.name("t")
            json.quoted(cursor.rawValue)
            json.name("r")
            json.integer(1)
            json.endObject()
            json.name("m")
            json.beginArray()
            for event in events { encode(event, into: &json) }
            json.endArray()
            json.endObject()
        }
    }

    /// JavaScript drops an event whose `b` it did not subscribe to, so `b` joins the shared text.
    private static func encode(_ event: PolledEvent, into json: inout JSONWriter) {
        guard let subscription = event.subscription else {
            json.raw(event.envelope.json)
            return
        }
        json.reopen(event.envelope.json)
        json.name("b")
        json.string(subscription)
        json.endObject()
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
