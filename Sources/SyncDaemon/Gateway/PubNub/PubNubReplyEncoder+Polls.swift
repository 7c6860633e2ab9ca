// Answers to polls: whole events for the subscribe of today, what they hold for that of old.

import EventModel
import JSON

extension PubNubReplyEncoder {
    /// - Parameters:
    ///   - events: Ascending; none for a handshake, and when the poll's time is over.
    ///   - cursor: What the client sends next: the timetoken of the last of `events`.
    static func poll(
        events: [PolledEvent], cursor: Timetoken, for poll: PubNubRequest.Poll
    ) -> HTTPResponse {
        switch poll.form {
        case .envelopes: envelopes(events, cursor: cursor)
        case .payloads: payloads(events, cursor: cursor, for: poll)
        }
    }

    private static func envelopes(_ events: [PolledEvent], cursor: Timetoken) -> HTTPResponse {
        let size = events.reduce(64) { $0 + $1.envelope.json.count + 32 }
        return response(reserving: size) { json in
            json.beginObject()
            // First and compact: when a response is cut, Swift reads the cursor by position.
            json.beginObject("t")
            json.member("t", quoted: cursor.rawValue)
            json.member("r", 1)
            json.endObject()
            json.beginArray("m")
            for event in events { encode(event, into: &json) }
            json.endArray()
            json.endObject()
        }
    }

    /// JavaScript drops an event whose `b` it did not subscribe to, so `b` joins the shared text.
    private static func encode(_ event: PolledEvent, into json: inout JSONWriter) {
        let text = event.envelope.isFile ? fileEvent(event.envelope.json) : event.envelope.json
        guard let subscription = event.subscription else {
            json.raw(text)
            return
        }
        json.reopen(text)
        json.member("b", subscription)
        json.endObject()
    }

    /// A message that tells of a file as PubNub has it: of kind 4, with the application's own type.
    private static func fileEvent(_ text: [UInt8]) -> [UInt8] {
        let depthMax = Limits.jsonDepthMax + 1
        guard let envelope = try? unsafe JSONValue(parsing: text.span.bytes, depthMax: depthMax)
        else { preconditionFailure("An event's text is not JSON.") }
        var json = JSONWriter(reserving: text.count + 16)
        json.beginObject()
        json.member("e", 4)
        for (name, value) in envelope.members where name != "cmt" {
            json.name(escaping: name)
            json.raw(value.compactText)
        }
        json.member("cmt", envelope.member("cmt")?.string.flatMap(FileMessage.custom))
        json.endObject()
        return json.bytes
    }

    /// `[[payloads],"cursor"]`; with the channel of each when several could be meant, and before
    /// that the name by which each was subscribed to when a group or a wildcard is among them.
    ///
    /// C-core reads it from its end, and takes a second text there for a list: where there are no
    /// events there are no lists.
    private static func payloads(
        _ events: [PolledEvent], cursor: Timetoken, for poll: PubNubRequest.Poll
    ) -> HTTPResponse {
        let contents = events.map(content)
        let size = contents.reduce(64) { $0 + $1.payload.utf8.count + 2 * $1.channel.utf8.count }
        return response(reserving: size) { json in
            json.beginArray()
            json.beginArray()
            for content in contents { json.raw(content.payload) }
            json.endArray()
            json.quoted(cursor.rawValue)
            if !events.isEmpty, poll.matchesByOtherNames {
                let names = zip(events, contents).map { $0.subscription ?? $1.channel }
                json.string(names.joined(separator: ","))
            }
            if !events.isEmpty, poll.matchesByOtherNames || poll.channels.count > 1 {
                json.string(contents.map(\.channel).joined(separator: ","))
            }
            json.endArray()
        }
    }

    private static func content(of event: PolledEvent) -> (payload: String, channel: String) {
        // The envelope is one level around what the client sent.
        let depthMax = Limits.jsonDepthMax + 1
        let text = unsafe event.envelope.json.span.bytes
        guard let envelope = try? JSONValue(parsing: text, depthMax: depthMax) else {
            preconditionFailure("An event's text is not JSON.")
        }
        return (
            envelope.member("d")?.compactText ?? "null", envelope.member("c")?.string ?? ""
        )
    }
}

extension PubNubRequest.Poll {
    /// Whether an event may come by another name than its channel's.
    fileprivate var matchesByOtherNames: Bool {
        !groups.isEmpty || channels.contains { Channel($0).isWildcard }
    }
}
