// What a selection brings, as JSON: frames without an id.

import EventModel
import JSON

extension JSONWriter {
    /// Tells a session which channels of a selection it follows from now on.
    mutating func news(_ news: SelectionNews) {
        begin(news.selection)
        member("cursor", quoted: news.cursor.rawValue)
        var rules = RulesEncoder()
        beginArray("channels")
        for channel in news.channels { members(of: channel, &rules) }
        for name in news.known {
            beginObject()
            member("name", name)
            endObject()
        }
        endArray()
        rules.end(into: &self)
        if !news.ended.isEmpty { member("ended", news.ended) }
        endObject()
        endObject()
    }

    /// Tells a session that it gets no further channels of a selection.
    mutating func end(of selection: Selection, because error: ProtocolError) {
        begin(selection)
        ReplyEncoder.encode(error, into: &self)
        endObject()
        endObject()
    }

    private mutating func begin(_ selection: Selection) {
        beginObject()
        beginObject("follows")
        switch selection.kind {
        case .group: member("group", selection.name)
        case .wildcard: member("wildcard", selection.name)
        }
    }

    /// Writes how a channel begins, as one object.
    mutating func members(of channel: SubscribedChannel, _ rules: inout RulesEncoder) {
        beginObject()
        member("name", channel.channel)
        member("mode", channel.mode.rawValue)
        member("cursor", quoted: channel.cursor.rawValue)
        if let key = channel.key {
            member("key", key.text)
        }
        if let state = channel.state { self.state(state) }
        if let messages = channel.segmentMessages { member("segments", messages) }
        rules.encode(channel.rules, into: &self)
        endObject()
    }
}
