// Answers of App Context, as PubNub's service writes them.

import EventModel
import JSON

extension PubNubReplyEncoder {
    static let objectRemoved = objects { json in
        json.member("status", 200)
        json.name("data")
        json.null()
    }

    /// One object, or a page of them; 404 when the one is not there.
    static func objects(
        _ page: DirectoryPage, for query: DirectoryQuery, _ form: PubNubRequest.ObjectsForm
    ) -> HTTPResponse {
        if form.isOne {
            guard let row = page.rows.first else { return PubNubError.noSuchObject.response }
            return objects { json in
                json.member("status", 200)
                json.name("data")
                json.write(row, of: query.directory, form)
            }
        }
        return objects { json in
            json.member("status", 200)
            json.beginArray("data")
            for row in page.rows { json.write(row, of: query.directory, form) }
            json.endArray()
            json.member("totalCount", page.count)
            // The service names a next page behind every one that has something.
            json.member("next", page.next)
            if query.after != nil || query.before != nil { json.member("prev", page.previous) }
        }
    }

    private static func objects(_ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var response = response(reserving: 1024) { json in
            json.beginObject()
            body(&json)
            json.endObject()
        }
        response.contentType = "application/json"
        return response
    }
}

extension JSONWriter {
    fileprivate mutating func write(
        _ row: DirectoryPage.Row, of directory: Directory, _ form: PubNubRequest.ObjectsForm
    ) {
        beginObject()
        switch directory {
        case .users: write(row.entry, .user, including: form.included, behind: "")
        case .channels: write(row.entry, .channel, including: form.included, behind: "")
        case .members:
            beginObject("uuid")
            writeSubject(row, .user, including: form.included, behind: "uuid.")
            endObject()
            writeMembership(row.entry, including: form.included)
        case .memberships:
            beginObject("channel")
            writeSubject(row, .channel, including: form.included, behind: "channel.")
            endObject()
            writeMembership(row.entry, including: form.included)
        }
        endObject()
    }

    private mutating func writeSubject(
        _ row: DirectoryPage.Row, _ kind: EntryFieldRule.Kind, including included: Set<String>,
        behind prefix: String
    ) {
        if let subject = row.subject {
            write(subject, kind, including: included, behind: prefix)
        } else {
            member("id", row.entry.id)
        }
    }

    private mutating func writeMembership(
        _ entry: DirectoryEntry, including included: Set<String>
    ) {
        let content = try? JSONValue(parsing: entry.content, depthMax: Limits.jsonDepthMax)
        for name in EntryFieldRule.optional where included.contains(name) {
            write(content, name)
        }
        writeVersion(of: entry)
    }

    private mutating func write(
        _ entry: DirectoryEntry, _ kind: EntryFieldRule.Kind, including included: Set<String>,
        behind prefix: String
    ) {
        let content = try? JSONValue(parsing: entry.content, depthMax: Limits.jsonDepthMax)
        member("id", entry.id)
        for rule in EntryFieldRule.all(of: kind) {
            let isOptional = EntryFieldRule.optional.contains(rule.name)
            if !isOptional || included.contains(prefix + rule.name) { write(content, rule.name) }
        }
        writeVersion(of: entry)
    }

    private mutating func write(_ content: JSONValue?, _ name: String) {
        self.name(escaping: name)
        if let value = content?.member(name) { raw(value.compactText) } else { null() }
    }

    private mutating func writeVersion(of entry: DirectoryEntry) {
        member("updated", entry.timetoken.dateText)
        member("eTag", "\(entry.timetoken)")
    }
}

extension EntryFieldRule {
    /// Those that PubNub's answers have only where they are asked for.
    fileprivate static let optional = ["custom", "status", "type"]
}
