// What a device keeps: its database, as far as transactions were committed.

import Basis
import EventModel

/// The rows of a device's database.
struct DeviceDisk {
    struct Rows {
        var header: ChannelHeader
        var messages: [Timetoken: DeviceCache.Entry] = [:]
        var actions: [MessageAction.Key: ActionMark] = [:]
    }

    private(set) var channels: [String: Rows] = [:]
    private(set) var outbox: [OutboxEntry] = []

    /// Makes the writes of one step, in one transaction.
    mutating func commit(_ writes: [DeviceWrite]) {
        for write in writes {
            switch write {
            case .channel(let name, let header, let changes):
                var rows = channels[name] ?? Rows(header: header)
                channels[name] = nil
                rows.header = header
                for change in changes { rows.apply(change) }
                channels[name] = rows
            case .forget(let name):
                channels[name] = nil
            case .outbox(let change):
                outbox.apply(change)
            case .mark: break
            }
        }
    }

    /// What a started device begins with.
    func base(of channel: String) -> ChannelBase {
        guard let rows = channels[channel] else { return ChannelBase() }
        let actions = rows.actions.map { $0.value.action(under: $0.key) }
        return ChannelBase(messages: rows.messages, actions: actions, rows.header)
    }

    /// Spoils a few rows of a channel, as a bad disk or a bug would.
    ///
    /// - Returns: Whether there was anything to spoil.
    mutating func corrupt(_ channel: String, _ choices: inout SeededGenerator) -> Bool {
        guard var rows = channels[channel], rows.header.key != nil, rows.header.cursor > .zero
        else {
            return false
        }
        let keys = rows.actions.keys.sorted()
        for _ in 0..<choices.between(1, 4) {
            switch choices.below(7) {
            case 0 where !keys.isEmpty, 1 where !keys.isEmpty:
                rows.actions[choices.pick(keys)] = nil
            case 2 where !keys.isEmpty:
                let key = choices.pick(keys)
                guard let mark = rows.actions[key] else { continue }
                rows.actions[key] =
                    choices.chance(50)
                    ? ActionMark(
                        added: Timetoken(rawValue: mark.added.rawValue - 1), score: mark.score)
                    : ActionMark(added: mark.added, score: mark.score + 1)
            case 3 where !rows.messages.isEmpty:
                rows.messages[choices.pick(rows.messages.keys.sorted())] = nil
            case 4 where !rows.messages.isEmpty:
                let timetoken = choices.pick(rows.messages.keys.sorted())
                guard let entry = rows.messages[timetoken] else { continue }
                rows.messages[timetoken] = DeviceCache.Entry(
                    uuid: entry.uuid + "x", message: entry.message)
            case 5:
                // The same of a message.
                let sent = rows.header.cursor.rawValue - UInt64(choices.below(1000))
                rows.messages[Timetoken(rawValue: sent)] = DeviceCache.Entry(
                    uuid: "nobody", message: Message(payload: #""boo""#))
            default:
                // A ghost: nobody ever added it.
                let key = MessageAction.Key(
                    messageTimetoken: rows.messages.keys.max() ?? rows.header.cursor,
                    type: "reaction", value: "👻", uuid: "nobody")
                let added = rows.header.cursor.rawValue - UInt64(choices.below(1000))
                rows.actions[key] = ActionMark(added: Timetoken(rawValue: added), score: 1)
            }
        }
        let isChanged =
            rows.actions != channels[channel]?.actions
            || rows.messages != channels[channel]?.messages
        channels[channel] = rows
        return isChanged
    }
}

extension DeviceDisk.Rows {
    fileprivate mutating func apply(_ change: RowChange) {
        switch change {
        case .messagePut(let timetoken, let entry): messages[timetoken] = entry
        case .messageDropped(let timetoken, _): messages[timetoken] = nil
        case .actionPut(let action): actions[action.key] = ActionMark(action)
        case .actionDropped(let action): actions[action.key] = nil
        }
    }
}
