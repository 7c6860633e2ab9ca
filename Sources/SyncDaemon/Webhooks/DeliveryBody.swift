// What a request to a webhook says: events as they are, or reactions to one author's messages.

import EventModel
import JSON

/// The body of a request; the same bytes for the same rows.
enum DeliveryBody {
    static func id(of place: OutboxPlace) -> String {
        WebhookSignature.id("\(place.batch)", of: place.webhook)
    }

    /// - Parameter rows: Of one batch, at least one.
    /// - Returns: `nil` when nothing is left of what happened.
    static func bytes(of rows: [OutboxRow], at place: OutboxPlace) -> [UInt8]? {
        var json = JSONWriter(reserving: rows.reduce(256) { $0 + $1.event.utf8.count + 1 })
        json.beginObject()
        json.member("webhook", place.webhook)
        json.member("id", id(of: place))
        if let author = rows.first?.author {
            let reactions = CollectedReactions(rows)
            guard !reactions.lines.isEmpty else { return nil }
            json.member("keyset", reactions.keyset)
            json.member("author", author)
            json.beginArray("reactions")
            for line in reactions.lines { json.write(line) }
        } else {
            json.beginArray("events")
            for row in rows { json.raw(row.event) }
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// What became of reactions to one author's messages while they were collected.
///
/// A reaction that came and went is nothing, and so is one that went and came back. How it went
/// makes no difference: by itself, by a clearing, or with its message.
struct CollectedReactions {
    struct Subject: Hashable {
        let channel: ExactText
        let message: Timetoken
        let type: ExactText
        let value: ExactText
    }

    struct Line {
        let subject: Subject
        fileprivate(set) var added = 0
        fileprivate(set) var removed = 0
        /// Who added it, the first of them.
        fileprivate(set) var users: [String] = []
    }

    fileprivate struct Change {
        let user: String
        let wasAdded: Bool
        var isAdded: Bool
    }

    fileprivate enum Told {
        case one(Subject, user: String, isAdded: Bool)
        /// Whatever a clearing covers.
        case cleared(Clearing, channel: ExactText)
        /// Whatever is on messages of a range.
        case deleted(MessageRange, channel: ExactText)
    }

    /// In the order in which they were first spoken of.
    private(set) var lines: [Line] = []
    private(set) var keyset = ""

    init(_ rows: [OutboxRow]) {
        var changes: [Subject: [ExactText: Int]] = [:]
        var order: [(subject: Subject, change: Change)] = []
        for row in rows {
            guard let told = read(row.event) else { continue }
            guard case .one(let subject, let user, let isAdded) = told else {
                for place in order.indices where told.takesAway(order[place]) {
                    order[place].change.isAdded = false
                }
                continue
            }
            if let place = changes[subject]?[ExactText(user)] {
                order[place].change.isAdded = isAdded
            } else {
                changes[subject, default: [:]][ExactText(user)] = order.count
                order.append((subject, Change(user: user, wasAdded: isAdded, isAdded: isAdded)))
            }
        }
        var places: [Subject: Int] = [:]
        for (subject, change) in order where change.wasAdded == change.isAdded {
            let place = places[subject] ?? lines.count
            if place == lines.count {
                places[subject] = place
                lines.append(Line(subject: subject))
            }
            lines[place].take(change.user, isAdded: change.isAdded)
        }
    }

    /// Reads an event as ``EncodedEnvelope`` wrote it.
    private mutating func read(_ event: String) -> Told? {
        guard let value = try? JSONValue(parsing: event, depthMax: Limits.jsonDepthMax),
            let body = value.member("d"), let data = body.member("data"),
            let channel = value.member("c")?.string.map(ExactText.init)
        else { return nil }
        func time(_ name: String) -> Timetoken? {
            data.member(name)?.string.flatMap { Timetoken($0) }
        }
        func text(_ name: String) -> String? { data.member(name)?.string }
        keyset = value.member("k")?.string ?? ""
        switch body.member("event")?.string {
        case "cleared":
            return .cleared(
                Clearing(
                    messageTimetoken: time("messageTimetoken"), type: text("type"),
                    value: text("value"), userID: text("uuid")), channel: channel)
        case "deleted":
            guard let after = time("after"), let through = time("through") else { return nil }
            return .deleted(MessageRange(after: after, through: through), channel: channel)
        case let change:
            guard let message = time("messageTimetoken"), let type = text("type"),
                let name = text("value"), let user = value.member("i")?.string
            else { return nil }
            let subject = Subject(
                channel: channel, message: message, type: ExactText(type), value: ExactText(name))
            return .one(subject, user: user, isAdded: change == "added")
        }
    }
}

extension CollectedReactions.Told {
    /// Whether a reaction went by it that was there before.
    fileprivate func takesAway(
        _ known: (subject: CollectedReactions.Subject, change: CollectedReactions.Change)
    ) -> Bool {
        let subject = known.subject
        switch self {
        case .one: return false
        case .deleted(let range, let channel):
            return channel == subject.channel && range.contains(subject.message)
        case .cleared(let clearing, let channel):
            return channel == subject.channel
                && clearing.covers(
                    MessageAction.Key(
                        messageTimetoken: subject.message, type: subject.type.string,
                        value: subject.value.string, uuid: known.change.user))
        }
    }
}

extension CollectedReactions.Line {
    fileprivate mutating func take(_ user: String, isAdded: Bool) {
        guard isAdded else { return removed += 1 }
        added += 1
        if users.count < Limits.webhookUsersNamedMax { users.append(user) }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ line: CollectedReactions.Line) {
        beginObject()
        member("channel", line.subject.channel.string)
        member("messageTimetoken", quoted: line.subject.message.rawValue)
        member("type", line.subject.type.string)
        member("value", line.subject.value.string)
        member("added", line.added)
        member("removed", line.removed)
        member("users", line.users)
        endObject()
    }
}
