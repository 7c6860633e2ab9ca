// Read marks, and what is unread, as JSON.

import EventModel
import JSON

extension ReplyEncoder {
    static func encode(_ channels: [UnreadMessages], into json: inout JSONWriter) {
        json.beginArray("channels")
        for channel in channels {
            json.beginObject()
            json.member("name", channel.channel)
            json.member("through", quoted: channel.through?.rawValue)
            json.member("count", channel.count)
            if channel.hasMore { json.member("more", true) }
            json.endObject()
        }
        json.endArray()
    }

    /// Tells a session where its user's marks are.
    static func encode(_ marks: [ReadMark], into json: inout JSONWriter) {
        json.beginObject()
        json.beginArray("read")
        for mark in marks {
            json.beginObject()
            json.member("name", mark.channel)
            json.member("through", quoted: mark.through.rawValue)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
