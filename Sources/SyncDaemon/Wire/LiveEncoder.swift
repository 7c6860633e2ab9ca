// What comes of live queries, as docs/PROTOCOL.md shows it.

import EventModel
import JSON

extension EncodedEnvelope {
    /// What it says to live queries, as one JSON object; `nil`: nothing.
    var liveChange: [UInt8]? {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        if let action {
            json.beginObject(action.isAdded ? "add" : "remove")
            json.members(of: action.action, namingUser: true)
        } else if let deletion {
            json.beginObject("delete")
            json.member("after", quoted: deletion.after.rawValue)
            json.member("through", quoted: deletion.through.rawValue)
            json.member("t", quoted: deletion.timetoken.rawValue)
        } else if let clearing {
            json.beginObject("clear")
            json.members(of: clearing)
            json.member("t", quoted: timetoken.rawValue)
        } else {
            return nil
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    /// Writes changes of a live query.
    ///
    /// - Parameter changes: As ``EncodedEnvelope/liveChange`` gives them.
    mutating func live(_ id: LiveID, _ changes: [[UInt8]]) {
        beginObject()
        member("live", id)
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
    /// The session's new token does not allow it.
    case forbidden
    /// The channel's values have other names now, so that the same question finds others.
    case rulesChanged = "rules_changed"
}
