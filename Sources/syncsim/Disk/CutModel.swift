// What writes come to whose answers were heard, without a disk.

import Basis
import EventModel

@testable import SyncDaemon

/// The rows that have to be there.
struct CutModel: Equatable {
    struct Rows: Equatable {
        var messages: [Timetoken: String] = [:]
        var actions: [MessageAction.Key: Timetoken] = [:]

        init() {}

        init(_ stored: StoredChannel) {
            messages = stored.messages.mapValues(\.message.payload)
            actions = stored.actions.mapValues(\.added)
        }
    }

    var channels: [Channel: Rows] = [:]

    mutating func apply(_ reply: Reply, to write: Write) {
        var rows = channels[write.channel, default: Rows()]
        switch (write.operation, reply) {
        case (.publish(let message, _), .published(let timetoken)):
            rows.messages[timetoken] = message.payload
        case (.add(let key, _, _), .actionAdded(let action, _)):
            rows.actions[key] = action.actionTimetoken
        case (.remove(let key, _, _), .actionRemoved):
            rows.actions[key] = nil
        case (.deleteMessages(let after, let through), .messagesDeleted):
            func isDeleted(_ message: Timetoken) -> Bool { message > after && message <= through }
            rows.messages = rows.messages.filter { !isDeleted($0.key) }
            rows.actions = rows.actions.filter { !isDeleted($0.key.messageTimetoken) }
        case (.clear(let clearing, _), .actionsCleared):
            rows.actions = rows.actions.filter { !clearing.covers($0.key) }
        default: preconditionFailure("\(reply) is no answer to \(write).")
        }
        channels[write.channel] = rows
    }

    func someMessage(in channel: Channel, _ choices: inout SeededGenerator) -> Timetoken? {
        guard let all = channels[channel]?.messages.keys.sorted(), !all.isEmpty else { return nil }
        return choices.pick(all)
    }

    static func == (left: CutModel, right: CutModel) -> Bool {
        Set(left.channels.keys).union(right.channels.keys).allSatisfy {
            left.channels[$0, default: Rows()] == right.channels[$0, default: Rows()]
        }
    }

    /// In words, for who looks for the mistake.
    func differences(from other: CutModel) -> String {
        let all = Set(channels.keys).union(other.channels.keys)
        return all.map { channel in
            let own = channels[channel, default: Rows()]
            let others = other.channels[channel, default: Rows()]
            let lost = others.messages.keys.filter { own.messages[$0] == nil }.count
            let more = own.messages.keys.filter { others.messages[$0] == nil }.count
            return "\(channel.name): \(lost) messages lost, \(more) too many, "
                + "\(own.actions.count) actions instead of \(others.actions.count)"
        }.sorted().joined(separator: "; ")
    }
}
