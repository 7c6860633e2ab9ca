// Summaries as JSON: in pushes and replies alike.

import EventModel
import JSON

extension JSONWriter {
    /// Writes a push that brings summaries and no events.
    mutating func push(_ summaries: [MessageSummary], of channel: Channel, cursor: Timetoken) {
        beginObject()
        name("t")
        position(cursor)
        member("c", channel.name)
        beginArray("m")
        endArray()
        self.summaries("g", summaries)
        endObject()
    }

    /// Writes a member with summaries into the object that is open.
    mutating func summaries(_ name: StaticString, _ summaries: [MessageSummary]) {
        beginArray(name)
        for summary in summaries { write(summary) }
        endArray()
    }

    private mutating func write(_ summary: MessageSummary) {
        beginObject()
        member("m", quoted: summary.messageTimetoken.rawValue)
        member("t", quoted: summary.position.rawValue)
        member("h", summary.state.text)
        beginArray("g")
        for group in summary.groups {
            beginObject()
            member("t", group.type)
            member("v", group.value)
            member("n", group.count)
            if group.score != group.count { member("s", group.score) }
            member("f", quoted: group.first.rawValue)
            member("l", quoted: group.last.rawValue)
            member("u", group.authors)
            endObject()
        }
        endArray()
        if summary.omitted > 0 { member("x", summary.omitted) }
        endObject()
    }
}
