// What a commit must do to messages that stand: their authors change them, and nobody else.

import EventModel

@testable import SyncDaemon

extension CommitModel {
    /// The code with which a write must be refused, if it must.
    func refusal(of write: Write) -> String? {
        switch write.operation {
        case .edit(let key, _):
            guard let author = author(of: key.messageTimetoken, in: write.channel) else {
                return "no_such_message"
            }
            return author == write.author.userID ? nil : "not_owner"
        case .deleteMessage(let message):
            let author = author(of: message, in: write.channel) ?? write.author.userID
            return author == write.author.userID ? nil : "not_owner"
        case .add(let key, _, _) where key.messageTimetoken > last: return "no_such_message"
        default: return countsTooMuch(write) ? "score_too_large" : nil
        }
    }

    /// Whether a write is about a message that nobody could have seen when its turn came, as far as
    /// the commit tells. (After a backup was restored, and the clock set back, devices know some.)
    func mayBeToCome(_ write: Write) -> Bool {
        guard case .add(let key, _, _) = write.operation else { return false }
        return key.messageTimetoken > reached
    }

    /// Who wrote a message that stands.
    func author(of message: Timetoken, in channel: Channel) -> String? {
        if let changed = authors[channel]?[message] { return changed }
        return truth.channels[channel]?.messages[message]?.uuid
    }

    /// The newest text is what is said now; one that was said before is said again.
    mutating func edit(_ key: MessageAction.Key, in channel: Channel) -> Outcome? {
        if let before = mark(of: key, in: channel) {
            let others = keys(in: channel) {
                $0.messageTimetoken == key.messageTimetoken && $0.type == key.type
                    && $0.uuid == key.uuid
            }
            let newest = others.compactMap { mark(of: $0, in: channel)?.added }.max()
            guard newest != before.added else { return .already(before.added, score: 1) }
            guard takeRemoval(of: key, before, in: channel) else { return nil }
        }
        guard let action = takeAdd(of: key, in: channel), action.score == 1 else { return nil }
        return .added(action.actionTimetoken, score: 1)
    }

    /// Takes a deletion of messages, and with them of the actions on them.
    ///
    /// - Returns: Its position.
    mutating func takeDeletion(in channel: Channel) -> Timetoken? {
        guard case .delete(channel, let start, let end, let timetoken)? = operations.popFirst(),
            takeEvent(.messagesDeleted(after: start, through: end), in: channel, at: timetoken)
        else { return nil }
        func isGone(_ message: Timetoken) -> Bool { start < message && message <= end }
        let messages = truth.channels[channel].map { Array($0.messages.keys) } ?? []
        for message in messages + Array(authors[channel, default: [:]].keys)
        where isGone(message) {
            authors[channel, default: [:]][message] = .some(nil)
        }
        for key in keys(in: channel, where: { isGone($0.messageTimetoken) }) {
            standing[channel, default: [:]][key] = .some(nil)
        }
        return timetoken
    }
}
