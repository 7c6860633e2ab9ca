// Entries of directories as JSON, for sessions and for PubNub's listeners.

import EventModel
import JSON

extension ReplyEncoder {
    static func encode(_ page: DirectoryPage, into json: inout JSONWriter) {
        json.beginArray("entries")
        for row in page.rows {
            json.reopen(Array(row.entry.content.utf8))
            json.member("timetoken", quoted: row.entry.timetoken.rawValue)
            if let subject = row.subject {
                json.name("subject")
                json.reopen(Array(subject.content.utf8))
                json.member("timetoken", quoted: subject.timetoken.rawValue)
                json.endObject()
            }
            json.endObject()
        }
        json.endArray()
        if page.hasMore { json.member("next", page.next) }
        json.member("count", page.count)
    }
}

extension JSONWriter {
    /// Writes what became of an entry, as PubNub's SDKs read it.
    ///
    /// - Source: PubNub's events of App Context.
    mutating func write(_ notice: DirectoryNotice) {
        beginObject()
        member("source", "objects")
        member("version", "2.0")
        member("event", notice.entry == nil ? "delete" : "set")
        member("type", notice.kind.word)
        beginObject("data")
        if case .membership(let channel) = notice.kind {
            beginObject("channel")
            member("id", channel)
            endObject()
            beginObject("uuid")
            member("id", notice.id)
            endObject()
        } else {
            member("id", notice.id)
        }
        if let entry = notice.entry {
            writeFields(of: entry, notice.kind.fields)
            member("updated", entry.timetoken.dateText)
            member("eTag", "\(entry.timetoken)")
        }
        endObject()
        endObject()
    }

    /// Writes the fields of an entry into the object that is open, `null` for one that it has not:
    /// PubNub's Swift SDK keeps what it knows of a field that is not there.
    private mutating func writeFields(of entry: DirectoryEntry, _ kind: EntryFieldRule.Kind) {
        let content = try? JSONValue(parsing: entry.content, depthMax: Limits.jsonDepthMax)
        for rule in EntryFieldRule.all(of: kind) {
            name(escaping: rule.name)
            if let value = content?.member(rule.name) { raw(value.compactText) } else { null() }
        }
    }
}

extension DirectoryNotice.Kind {
    fileprivate var fields: EntryFieldRule.Kind {
        switch self {
        case .user: .user
        case .channel: .channel
        case .membership: .membership
        }
    }

    fileprivate var word: String {
        switch self {
        case .user: "uuid"
        case .channel: "channel"
        case .membership: "membership"
        }
    }
}
