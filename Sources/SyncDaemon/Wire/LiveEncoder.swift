// What comes of live queries, as docs/PROTOCOL.md shows it.

import EventModel
import JSON

extension Event {
    /// Whether it takes away actions without naming each.
    var clearsActions: Bool {
        switch self {
        case .messagesDeleted: true
        case .message, .actionAdded, .actionRemoved, .signal, .presence: false
        }
    }
}

extension EncodedEnvelope {
    /// What it says to live queries, as one JSON object; `nil`: nothing.
    var liveChange: [UInt8]? {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        if let action {
            json.name(action.isAdded ? "add" : "remove")
            json.beginObject()
            json.members(of: action.action, namingUser: true)
            json.endObject()
        } else if clearsActions, let data = try? data() {
            json.member("clear", raw: data)
            json.member("t", quoted: timetoken.rawValue)
        } else {
            return nil
        }
        json.endObject()
        return json.bytes
    }

    /// What the event says in the envelope, whatever it is.
    ///
    /// - Complexity: O(bytes): such events are few.
    private func data() throws(JSONError) -> String {
        let envelope = try unsafe JSONValue(
            parsing: json.span.bytes, depthMax: Limits.jsonDepthMax)
        return try envelope.object("d").object("data").compactText
    }
}

extension JSONWriter {
    /// Writes changes of a live query.
    ///
    /// - Parameter changes: As ``EncodedEnvelope/liveChange`` gives them.
    mutating func live(_ id: LiveID, _ changes: [[UInt8]], through position: Timetoken) {
        beginObject()
        member("live", id)
        member("t", quoted: position.rawValue)
        beginArray("changes")
        for change in changes { raw(change) }
        endArray()
        endObject()
    }

    /// Says that nothing more comes of a live query.
    mutating func liveEnded(_ id: LiveID, because reason: LiveEnd) {
        beginObject()
        member("live", id)
        member("ended", reason.rawValue)
        endObject()
    }
}

/// Why a live query ends by itself.
enum LiveEnd: String {
    /// More waits for its session than may.
    case tooSlow = "too_slow"
    /// The daemon is short of memory.
    case overloaded
}
