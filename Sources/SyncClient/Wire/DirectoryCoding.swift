// Commands about directories, and what the daemon answers.

import EventModel
import JSON

extension JSONWriter {
    mutating func write(_ query: DirectoryQuery) {
        write(query.directory, id: query.id)
        member("filter", query.filter)
        if !query.orders.isEmpty {
            member("sort", query.orders.map(\.text))
        }
        member("after", query.after)
        if query.id == nil { member("limit", query.limit) }
        if query.counts { member("count", true) }
        if query.includesSubjects { member("subjects", true) }
    }

    mutating func write(_ request: DirectoryRequest) {
        switch request.directory {
        case .users, .channels:
            guard let change = request.changes.first else { break }
            write(request.directory, id: change.id)
            if case .set(let fields) = change.kind {
                beginObject("set")
                write(fields)
                endObject()
            }
        case .members, .memberships:
            write(request.directory, id: nil)
            write(request.changes, of: request.directory)
        }
        member("expected", quoted: request.expected?.rawValue)
        member("mutation", request.mutation)
    }

    private mutating func write(_ directory: Directory, id: String?) {
        switch directory {
        case .users: member("userId", id)
        case .channels: member("channel", id)
        case .members(let channel):
            member("channel", channel)
            member("userId", id)
        case .memberships(let user):
            member("userId", user)
            member("channel", id)
        }
    }

    private mutating func write(_ changes: [EntryChange], of directory: Directory) {
        beginArray("set")
        for change in changes {
            guard case .set(let fields) = change.kind else { continue }
            beginObject()
            if case .members = directory {
                member("userId", change.id)
            } else {
                member("channel", change.id)
            }
            write(fields)
            endObject()
        }
        endArray()
        member("remove", changes.filter { $0.kind == .remove }.map(\.id))
    }

    private mutating func write(_ fields: [EntryField]) {
        for field in fields {
            name(escaping: field.name)
            raw(field.value ?? "null")
        }
    }
}

extension DirectoryQuery.Order {
    fileprivate var text: String {
        (isDescending ? "-" : "") + (isOfSubject ? "subject." : "") + key.rawValue
    }
}

extension JSONValue {
    func directoryPage() throws(JSONError) -> DirectoryPage {
        let list = try array("entries")
        var rows: [DirectoryPage.Row] = []
        rows.reserveCapacity(list.count)
        for index in 0..<list.count {
            let entry = list.element(at: index)
            let subject = entry.member("subject")
            rows.append(
                DirectoryPage.Row(
                    entry: try entry.directoryEntry(),
                    subject: try subject.map { json throws(JSONError) in
                        try json.directoryEntry()
                    }))
        }
        let next = try optionalString("next")
        return DirectoryPage(
            rows: rows, next: next, hasMore: next != nil,
            count: try optionalInteger("count").map { Int($0) })
    }

    private func directoryEntry() throws(JSONError) -> DirectoryEntry {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in members where name != "timetoken" && name != "subject" {
            json.name(escaping: name)
            json.raw(value.compactText)
        }
        json.endObject()
        return DirectoryEntry(
            id: try string("id"), content: String(decoding: json.bytes, as: UTF8.self),
            timetoken: try timetoken("timetoken"))
    }
}
