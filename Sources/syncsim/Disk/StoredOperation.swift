// What a transaction did to the store, as the disk saw it.

import EventModel

@testable import SyncDaemon

/// One write of a transaction, apart from housekeeping.
enum StoredOperation: Hashable, Sendable {
    case insert(Channel, Timetoken, uuid: String, Message, expires: Timetoken?)
    case delete(Channel, after: Timetoken, through: Timetoken, at: Timetoken)
    case clear(Channel, Clearing, at: Timetoken)
    case add(Channel, MessageAction)
    case remove(Channel, MessageAction.Key, at: Timetoken)
    case change(GroupChange, ChannelGroup)
    case remember(Author, String, MutationRecord)
}

extension StoredOperation {
    /// Whether a store has this operation's work, when nothing came after it.
    func isDone(in store: SimulatedStore) throws(StoreError) -> Bool {
        switch self {
        case .insert(let channel, let timetoken, _, _, _):
            try Self.messages(
                after: Timetoken(rawValue: timetoken.rawValue - 1), in: channel, of: store
            ).contains(timetoken)
        case .delete(let channel, let start, let end, _):
            try !Self.messages(after: start, in: channel, of: store).contains { $0 <= end }
        case .clear(let channel, let clearing, let timetoken):
            try store.standing(coveredBy: clearing, in: channel)
                .allSatisfy { $0.actionTimetoken > timetoken }
        case .add(let channel, let action):
            try store.action(under: action.key, in: channel) == action
        case .remove(let channel, let key, _):
            try store.standingAction(key, in: channel) == nil
        case .change(let change, let group):
            try Self.isDone(change, Set(store.channels(of: group)))
        case .remember(let author, let name, _):
            try store.outcome(of: name, by: author) != nil
        }
    }

    private static func isDone(_ change: GroupChange, _ channels: Set<String>) -> Bool {
        switch change {
        case .add(let names): channels.isSuperset(of: names)
        case .remove(let names): channels.isDisjoint(with: names)
        case .delete: channels.isEmpty
        }
    }

    private static func messages(
        after start: Timetoken, in channel: Channel, of store: SimulatedStore
    ) throws(StoreError) -> [Timetoken] {
        let query = HistoryQuery(channel: channel.name, after: start)
        return try store.makeReader().history(query, in: channel).messages.map(\.timetoken)
    }
}
