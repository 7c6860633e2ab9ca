// Events, messages and actions as lines for people. Pure.

import EventModel
import JSON
import SyncClient

/// How things look on a terminal, or in a file that a person reads.
struct HumanFormat {
    /// Whether to dim what is there for copying, with ANSI escapes.
    var usesColor = false
    /// Whether lines begin with the channel.
    var showsChannel = false
    /// The asking user.
    var user: String

    /// Characters of a message that an action's line quotes.
    private static let excerptMax = 40

    /// One event, with the cache as it stands after it.
    func line(for envelope: Envelope, in cache: DeviceCache) -> String {
        let start = channelPrefix(envelope.channel.name) + dim("\(envelope.timetoken)") + "  "
        switch envelope.event {
        case .message(let message):
            let note = envelope.isStored ? "" : dim("  (not stored)")
            return start + said(envelope.uuid, message) + note
        case .signal(let message):
            return start + said(envelope.uuid, message) + dim("  (signal)")
        case .messagesDeleted(let first, let last):
            return start + "messages after \(first) through \(last) deleted"
        case .actionsCleared(let clearing):
            return start + cleared(clearing)
        case .presence(let notice):
            return start + told(notice)
        case .directory(let notice):
            return start + "what is known of \(notice.id) is another"
        case .actionAdded(let action):
            return start + changed(action, "added", by: envelope.uuid, in: cache)
        case .actionRemoved(let action):
            return start + changed(action, "removed", by: envelope.uuid, in: cache)
        }
    }

    /// A stored message as its author has it now, and below it the reactions that stand.
    func lines(for stored: StoredMessage) -> [String] {
        let message = stored.edited.map { Message(payload: $0.payload) } ?? stored.message
        var notes = stored.edited == nil ? [] : ["edited"]
        if stored.deleted != nil { notes.append("deleted by its author") }
        if stored.threadCount > 0 {
            notes.append(stored.threadCount == 1 ? "1 reply" : "\(stored.threadCount) replies")
        }
        let line =
            dim("\(stored.timetoken)") + "  " + said(stored.uuid, message)
            + (notes.isEmpty ? "" : dim("  (\(notes.joined(separator: ", ")))"))
        var scores: [String: Int] = [:]
        for action in stored.actions where action.key.type == "reaction" {
            scores[action.key.value, default: 0] += action.score
        }
        let counts = Self.counts(
            stored.actions.reduce(into: DeviceCache()) { cache, action in
                cache.apply(added(action))
            }, of: stored.timetoken, user: user, scores: scores)
        return counts.isEmpty ? [line] : [line, "    \(counts)"]
    }

    func line(for problem: SyncEvent.Problem) -> String {
        let place = problem.channel.map { "\(printable($0)): " } ?? ""
        return "\(place)\(printable(problem.reason)) It is left out."
    }

    func line(for action: MessageAction) -> String {
        let key = action.key
        return dim("\(action.actionTimetoken)")
            + "  \(name(key.uuid)): \(label(action)) on \(dim("\(key.messageTimetoken)"))"
    }

    /// What became of a reaction that was to be added.
    ///
    /// - Parameter score: What it counts for now.
    func line(
        for value: String, applied: Addition, score: Int, _ message: Timetoken
    ) -> String {
        let value = printable(value)
        let count = score == 1 ? "" : ", and counts for \(score)"
        return switch applied {
        case .added: "\(value) added to \(message)\(count)"
        case .updated: "\(value) on \(message) counts for \(score) now"
        case .already: "\(value) stands already on \(message)\(count)"
        }
    }

    /// What became of one that was to be removed.
    ///
    /// - Parameter left: What the rest counts for; `nil`: there is none.
    func line(
        for value: String, removal: Removal, left: Int?, _ message: Timetoken
    ) -> String {
        let value = printable(value)
        guard removal == .removed else { return "\(value) was not there on \(message)" }
        return left.map { "one \(value) taken off \(message), \($0) left" }
            ?? "\(value) removed from \(message)"
    }

    /// The reactions of a message, for example `👍 2  ❤️ 1`.
    ///
    /// - Parameter scores: What those with a value count for together, where that is known.
    static func counts(
        _ cache: DeviceCache, of message: Timetoken, user: String, scores: [String: Int] = [:]
    ) -> String {
        cache.reactions(to: message, for: user)
            .map { group in
                let score = scores[group.value] ?? group.count
                return "\(printable(group.value)) \(group.count)"
                    + (score == group.count ? "" : " (score \(score))")
            }
            .joined(separator: "  ")
    }

    // MARK: Parts

    private func said(_ uuid: String, _ message: Message) -> String {
        "\(name(uuid)): \(text(message.payload))"
    }

    private func name(_ user: String) -> String {
        user.isEmpty ? "(nobody)" : printable(user)
    }

    private func cleared(_ clearing: Clearing) -> String {
        var text = "actions removed:"
        if let type = clearing.type { text += " \(printable(type))" }
        if let value = clearing.value { text += " \(printable(value))" }
        if let user = clearing.userID { text += " by \(name(user))" }
        if let message = clearing.messageTimetoken { text += " on \(message)" }
        return text
    }

    private func told(_ notice: PresenceNotice) -> String {
        let user = notice.userID.map { name($0) + " " } ?? ""
        var text = "\(user)\(notice.action.rawValue), \(notice.occupancy) here"
        if let state = notice.state { text += ", \(printable(state))" }
        for (word, users) in [
            ("came", notice.joined), ("left", notice.left), ("vanished", notice.timedOut),
        ] where !users.isEmpty {
            text += ", \(word): \(users.map(printable).joined(separator: " "))"
        }
        return text
    }

    private func changed(
        _ action: MessageAction, _ verb: String, by uuid: String, in cache: DeviceCache
    ) -> String {
        let target = action.key.messageTimetoken
        var line = "\(name(uuid)) \(verb) \(label(action))"
        line += verb == "added" ? " to " : " from "
        if let message = cache.messages[target]?.message {
            line += "\"\(excerpt(message.payload))\" "
        }
        line += dim("\(target)")
        let counts = Self.counts(cache, of: target, user: user)
        return counts.isEmpty ? line : "\(line)  \(counts)"
    }

    /// A reaction is its emoji; another kind of action names its type too.
    ///
    /// One that counts for more says so.
    private func label(_ action: MessageAction) -> String {
        let key = action.key
        let value = printable(key.value)
        return (key.type == "reaction" ? value : "\(printable(key.type)) \(value)")
            + (action.score == 1 ? "" : " ×\(action.score)")
    }

    /// The text of the payloads that are text; the JSON of all others.
    private func text(_ payload: String) -> String {
        guard let json = try? JSONValue(parsing: payload, depthMax: 64) else {
            return printable(payload)
        }
        let text = json.string ?? json.member("text")?.string
        return printable(text ?? payload)
    }

    private func excerpt(_ payload: String) -> String {
        let text = text(payload)
        return text.count <= Self.excerptMax ? text : "\(text.prefix(Self.excerptMax - 1))…"
    }

    private func channelPrefix(_ channel: String) -> String {
        showsChannel ? "\(printable(channel))  " : ""
    }

    private func dim(_ text: String) -> String {
        usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text
    }

    private func added(_ action: MessageAction) -> Envelope {
        Envelope(
            channel: Channel(""), timetoken: action.actionTimetoken, uuid: action.key.uuid,
            event: .actionAdded(action))
    }
}
