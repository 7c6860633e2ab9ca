// Directories: an entry that becomes another one is a message in the place of the one before.

import EventModel
import JSON

extension Ledger {
    /// Changes entries: all that a request asks for, or nothing.
    func change(
        _ request: DirectoryRequest, for write: Write, at timetoken: Timetoken,
        into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        var steps: [EntryStep] = []
        for change in request.changes {
            switch try step(change, of: request, in: write.channel.keyset) {
            case .success(let step?): steps.append(step)
            case .success(nil): break
            case .failure(let refusal): return .failure(refusal)
            }
        }
        for step in steps {
            if case .remove = step.change, let refusal = try leave(step, for: write, &commit) {
                return .failure(refusal)
            }
            try take(step, for: write, &commit)
            try tell(of: step, for: write, &commit)
        }
        let entry = try entry(after: request, in: write.channel.keyset)
        return .success(.directoryChanged(entry?.timetoken ?? last, entry: entry))
    }

    /// The one entry that was set, as it is now.
    private func entry(
        after request: DirectoryRequest, in keyset: String
    ) throws(StoreError) -> DirectoryEntry? {
        guard request.changes.count == 1, case .set = request.changes[0].kind else { return nil }
        let place = EntryPlace(request.changes[0].id, in: request.directory, keyset: keyset)
        return try store.entry(place.id, in: place.channel)
    }

    /// What a change comes to; `nil`: all is as it asks for.
    private func step(
        _ change: EntryChange, of request: DirectoryRequest, in keyset: String
    ) throws(StoreError) -> Result<EntryStep?, ProtocolError> {
        let place = EntryPlace(change.id, in: request.directory, keyset: keyset)
        let standing = try store.entry(place.id, in: place.channel)
        // No entry is of moment zero: it stands for none.
        if let expected = request.expected, expected != standing?.timetoken ?? .zero {
            return .failure(.entryModified)
        }
        guard case .set(let fields) = change.kind else {
            // Nobody need be known to be a member: who is removed leaves all the same.
            let isNowhere =
                if standing == nil { try !hasMemberships(place, in: keyset) } else { false }
            return .success(isNowhere ? nil : EntryStep(place: place, change: .remove))
        }
        let content = EntryContent(id: change.id, standing?.content).setting(fields)
        guard content.utf8.count <= Limits.entryBytesMax else { return .failure(.entryTooLarge) }
        guard content != standing?.content else { return .success(nil) }
        return .success(EntryStep(place: place, change: .put(content)))
    }

    /// The list that goes with a user or a channel; `nil` of a membership.
    private func memberships(of place: EntryPlace) -> Directory? {
        switch place.directory {
        case .users: .memberships(user: place.id.string)
        case .channels: .members(channel: place.id.string)
        case .members, .memberships: nil
        }
    }

    private func hasMemberships(
        _ place: EntryPlace, in keyset: String
    ) throws(StoreError) -> Bool {
        guard let list = memberships(of: place) else { return false }
        return try !store.entries(in: Channel(list.channelName, keyset: keyset), limit: 1).isEmpty
    }

    /// Takes whoever is removed out of the channels, or out of the channel whoever is in it.
    private func leave(
        _ step: EntryStep, for write: Write, _ commit: inout Commit
    ) throws(StoreError) -> ProtocolError? {
        let keyset = write.channel.keyset
        guard let lists = memberships(of: step.place) else { return nil }
        let entries = try store.entries(
            in: Channel(lists.channelName, keyset: keyset), limit: Limits.membershipsMovedMax + 1)
        guard entries.count <= Limits.membershipsMovedMax else { return .tooManyMemberships }
        for entry in entries {
            let membership = EntryStep(
                place: EntryPlace(entry.id, in: lists, keyset: keyset), change: .remove)
            try take(membership, for: write, &commit)
            try tell(of: membership, for: write, &commit)
        }
        return nil
    }

    /// Carries a step out, in each directory that the entry is in.
    private func take(
        _ step: EntryStep, for write: Write, _ commit: inout Commit
    ) throws(StoreError) {
        for place in step.place.all {
            if let standing = try store.entry(place.id, in: place.channel) {
                last = last.successor(at: wallTicks())
                let range = MessageRange(
                    after: standing.timetoken.predecessor, through: standing.timetoken)
                let gone = try digests.delete(range, at: last, in: place.channel, of: store)
                commit.events.append(
                    .deletion(
                        after: range.after, through: range.through, at: last, in: place.channel,
                        gone: gone))
            }
            guard case .put(let content) = step.change else { continue }
            last = last.successor(at: wallTicks())
            let text = place.id == step.place.id ? content : EntryContent.renamed(content, place.id)
            let message = Message(payload: text, type: Directory.messageType)
            let user = write.author.userID
            try store.insert(message, at: last, in: place.channel, by: user, expires: nil)
            let row = MessageRow(timetoken: last, uuid: user, type: message.type)
            try digests.insert(.message(row), in: place.channel, of: store)
            commit.events.append(
                Envelope(
                    channel: place.channel, timetoken: last, uuid: user, event: .message(message)))
        }
    }

    // MARK: PubNub's listeners

    /// Tells who follows the channels that an entry is about, by PubNub's SDKs.
    private func tell(
        of step: EntryStep, for write: Write, _ commit: inout Commit
    ) throws(StoreError) {
        let place = step.place
        let entry = try store.entry(place.id, in: place.channel)
        let (notice, names) = try notice(of: place, entry)
        for name in names {
            last = last.successor(at: wallTicks())
            commit.events.append(
                Envelope(
                    channel: Channel(name, keyset: write.channel.keyset), timetoken: last,
                    uuid: write.author.userID, event: .directory(notice), isStored: false))
        }
    }

    /// What is told, and in which channels.
    private func notice(
        of place: EntryPlace, _ entry: DirectoryEntry?
    ) throws(StoreError) -> (DirectoryNotice, [String]) {
        let id = place.id.string
        switch place.directory {
        case .users:
            let memberships = Directory.memberships(user: id)
            let channels = try store.entries(
                in: Channel(memberships.channelName, keyset: place.channel.keyset),
                limit: Limits.membershipsMovedMax)
            let names = [id] + channels.map(\.id).filter { ExactText($0) != place.id }
            return (DirectoryNotice(kind: .user, id: id, entry: entry), names)
        case .channels:
            return (DirectoryNotice(kind: .channel, id: id, entry: entry), [id])
        case .members(let channel):
            let notice = DirectoryNotice(kind: .membership(channel: channel), id: id, entry: entry)
            return (notice, channel == id ? [id] : [channel, id])
        case .memberships(let user):
            let notice = DirectoryNotice(kind: .membership(channel: id), id: user, entry: entry)
            return (notice, user == id ? [id] : [id, user])
        }
    }
}

/// Where an entry is.
private struct EntryPlace {
    let directory: Directory
    let channel: Channel
    let id: ExactText

    init(_ id: String, in directory: Directory, keyset: String) {
        self.directory = directory
        channel = Channel(directory.channelName, keyset: keyset)
        self.id = ExactText(id)
    }

    /// Each place that has what is at this one, this one first.
    var all: [EntryPlace] {
        switch directory {
        case .users, .channels: [self]
        case .members(let channel):
            [
                self,
                EntryPlace(
                    channel, in: .memberships(user: id.string), keyset: self.channel.keyset),
            ]
        case .memberships(let user):
            [self, EntryPlace(user, in: .members(channel: id.string), keyset: channel.keyset)]
        }
    }
}

/// What becomes of one entry.
private struct EntryStep {
    enum Change {
        /// Compact JSON text.
        case put(String)
        case remove
    }

    let place: EntryPlace
    let change: Change
}

/// The fields of an entry, in one order whatever they were set in.
struct EntryContent {
    private var members: [(name: String, value: String)]

    /// - Parameter content: As it stands; `nil`: there is none.
    init(id: String, _ content: String?) {
        let standing = content.flatMap {
            try? JSONValue(parsing: $0, depthMax: Limits.jsonDepthMax)
        }
        members = (standing?.members ?? []).map { ($0.name, $0.value.compactText) }
        put("id", JSONValue.quoted(id))
    }

    /// Compact JSON text of the same with other fields.
    ///
    /// - Source: RFC 7396, for one level: `null` takes a field away.
    func setting(_ fields: [EntryField]) -> String {
        var content = self
        for field in fields {
            if let value = field.value {
                content.put(field.name, value)
            } else {
                content.members.removeAll { ExactText($0.name) == ExactText(field.name) }
            }
        }
        return content.text
    }

    /// The same content under another id.
    static func renamed(_ content: String, _ id: ExactText) -> String {
        EntryContent(id: id.string, content).text
    }

    private mutating func put(_ name: String, _ value: String) {
        if let index = members.firstIndex(where: { ExactText($0.name) == ExactText(name) }) {
            members[index].value = value
        } else {
            members.append((name, value))
        }
    }

    private var text: String {
        var json = JSONWriter(reserving: 256)
        json.beginObject()
        let rank: (String) -> (Int, ExactText) = { name in
            (name == "id" ? 0 : 1, ExactText(name))
        }
        for member in members.sorted(by: { rank($0.name) < rank($1.name) }) {
            json.name(escaping: member.name)
            json.raw(member.value)
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
