// What is true: a second, simpler account of everything that became durable.
//
// Built from what transactions did to the disk, and checked against what the writes asked for. It
// shares no code with ledger, store, digests or devices.

import Basis
import EventModel

@testable import SyncDaemon

/// The rows of a store, and what they were at every position.
struct Truth {
    /// One channel's rows.
    struct Rows {
        var messages: [Timetoken: DeviceCache.Entry] = [:]
        var actions: [MessageAction.Key: ActionMark] = [:]
        /// Removals of keys that do not stand, by their positions.
        fileprivate(set) var removed: [MessageAction.Key: Timetoken] = [:]
        fileprivate(set) var deletions: [(after: Timetoken, through: Timetoken)] = []
        fileprivate(set) var clearings: [Clearing] = []
        /// What the rows were after each change, ascending.
        fileprivate(set) var log: [(position: Timetoken, messages: UInt64, actions: UInt64)] = []
        /// By what each of them changed the hashes of what is on a message.
        fileprivate var changes: [Change] = []
        private(set) var messagesHash: UInt64 = 0
        private(set) var actionsHash: UInt64 = 0
    }

    /// A change of one row.
    fileprivate struct Change {
        let position: Timetoken
        let message: Timetoken
        var messages: UInt64 = 0
        var actions: UInt64 = 0
    }

    struct MutationName: Hashable {
        let author: Author
        let name: String
    }

    private(set) var channels: [Channel: Rows] = [:]
    private(set) var mutations: [MutationName: MutationRecord] = [:]
    /// Of every stored event.
    private(set) var timetokens: Set<Timetoken> = []
    private(set) var groups: [ChannelGroup: Set<String>] = [:]
    private(set) var last = Timetoken.zero

    func rows(of channel: String) -> Rows { channels[Channel(channel)] ?? Rows() }

    /// Whether a message was ever deleted, or may have been.
    func wasDeleted(_ message: Timetoken, in channel: String) -> Bool {
        rows(of: channel).deletions.contains { $0.after < message && message <= $0.through }
    }

    /// Whether a moderator ever removed what was under a key, or may have.
    func wasCleared(_ key: MessageAction.Key, in channel: String) -> Bool {
        rows(of: channel).clearings.contains { $0.covers(key) }
    }

    /// Stored events in a range that whoever follows some channels has to be told of: those that
    /// are not undone since.
    ///
    /// - Parameter floor: Removals up to it may be forgotten.
    func owed(
        after start: Timetoken, through end: Timetoken, floor: Timetoken,
        where isWanted: (Channel) -> Bool
    ) -> [Timetoken] {
        var owed: [Timetoken] = []
        for (channel, rows) in channels where isWanted(channel) {
            owed += rows.messages.keys
            owed += rows.actions.values.map(\.added)
            owed += rows.removed.values.filter { $0 > floor }
        }
        return owed.filter { start < $0 && $0 <= end }.sorted()
    }

    // MARK: Changes

    /// Takes what a durable transaction did.
    ///
    /// - Returns: What cannot be true.
    mutating func apply(_ operations: [StoredOperation]) -> [String] {
        var problems: [String] = []
        for operation in operations {
            if let problem = apply(operation) { problems.append(problem) }
        }
        return problems
    }

    private mutating func apply(_ operation: StoredOperation) -> String? {
        switch operation {
        case .insert(let channel, let timetoken, let uuid, let message, _):
            channels[channel, default: Rows()].insert(
                timetoken, DeviceCache.Entry(uuid: uuid, message: message))
            return see(timetoken)
        case .delete(let channel, let start, let end, let timetoken):
            channels[channel, default: Rows()].delete(after: start, through: end, at: timetoken)
            return see(timetoken)
        case .clear(let channel, let clearing, let timetoken):
            channels[channel, default: Rows()].clear(clearing, at: timetoken)
            return see(timetoken)
        case .add(let channel, let action):
            let old = channels[channel, default: Rows()].put(action)
            if old != nil { return "I1: \(action.key) was added twice" }
            return see(action.actionTimetoken)
        case .remove(let channel, let key, let timetoken):
            let old = channels[channel, default: Rows()].drop(key, at: timetoken)
            if old == nil { return "I1: \(key) was removed, and was not there" }
            return see(timetoken)
        case .remember(let author, let name, let record):
            let mutation = MutationName(author: author, name: name)
            guard mutations.updateValue(record, forKey: mutation) == nil else {
                return "I5: \(name) of \(author.deviceID) was applied twice"
            }
            return nil
        case .change(let change, let group):
            switch change {
            case .add(let names): groups[group, default: []].formUnion(names)
            case .remove(let names): groups[group]?.subtract(names)
            case .delete: groups[group] = nil
            }
            return nil
        }
    }

    private mutating func see(_ timetoken: Timetoken) -> String? {
        guard timetoken > last else { return "I1: \(timetoken) after \(last)" }
        last = timetoken
        timetokens.insert(timetoken)
        return nil
    }

    // MARK: Comparisons

    /// How a device's rows differ from what they were here; `nil` when they do not.
    ///
    /// - Parameters:
    ///   - start: It has what is on messages after this; zero: everything.
    ///   - position: Of the actions; messages are compared as of the cache's cursor.
    func difference(
        of base: DeviceCache, in channel: String, after start: Timetoken,
        actionsAt position: Timetoken
    ) -> String? {
        let rows = rows(of: channel)
        let messages = rows.hashes(after: start, at: base.cursor).messages
        let actions = rows.hashes(after: start, at: position).actions
        var hash: UInt64 = 0
        for (timetoken, entry) in base.messages { hash &+= Self.hash(timetoken, entry) }
        guard hash == messages else {
            return "it has other messages than the server at \(base.cursor)"
        }
        hash = 0
        for (key, mark) in base.marks { hash &+= Self.hash(key, mark) }
        guard hash == actions else { return "it has other actions than the server at \(position)" }
        return nil
    }

    /// How a device's rows differ from the present ones, row by row.
    func differences(
        of base: DeviceCache, in channel: String, after start: Timetoken
    ) -> [String] {
        let rows = rows(of: channel).after(start)
        var found: [String] = []
        for (timetoken, entry) in rows.messages where base.messages[timetoken] != entry {
            found.append(
                "message \(timetoken) is \(base.messages[timetoken].map { "\($0)" } ?? "missing")")
        }
        for timetoken in base.messages.keys where rows.messages[timetoken] == nil {
            found.append("message \(timetoken) should not be there")
        }
        let actions = base.marks
        for (key, mark) in rows.actions where actions[key] != mark {
            found.append("action \(key) \(mark) is \(actions[key].map { "\($0)" } ?? "missing")")
        }
        for key in actions.keys where rows.actions[key] == nil {
            found.append("action \(key) should not be there")
        }
        return found.sorted()
    }

    // MARK: Hashes

    fileprivate static func hash(_ timetoken: Timetoken, _ entry: DeviceCache.Entry) -> UInt64 {
        SeededGenerator.mixed(hash(entry.uuid, hash(entry.message.payload, timetoken.rawValue)))
    }

    fileprivate static func hash(_ key: MessageAction.Key, _ mark: ActionMark) -> UInt64 {
        let start =
            SeededGenerator.mixed(key.messageTimetoken.rawValue) &+ mark.added.rawValue
            &+ SeededGenerator.mixed(UInt64(mark.score))
        return SeededGenerator.mixed(hash(key.uuid, hash(key.value, hash(key.type, start))))
    }

    private static func hash(_ text: String, _ start: UInt64) -> UInt64 {
        var hash = start ^ 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }
}

extension Truth.Rows {
    /// The texts that its author gave a message, oldest first.
    func versions(of message: Timetoken) -> [MessageVersion] {
        own(on: message).filter { $0.key.type == MessageVersion.editedType }
            .map { MessageVersion(payload: $0.key.value, timetoken: $0.value.added) }
            .sorted { $0.timetoken < $1.timetoken }
    }

    /// What a summary says of its author's versions: the newest ones.
    func toldVersions(of message: Timetoken) -> Set<ActionName> {
        let newest = own(on: message).filter { MessageVersion.isType($0.key.type) }
            .sorted { $0.value.added > $1.value.added }
        return Set(newest.prefix(Limits.summaryVersionsMax).map { ActionName($0.key) })
    }

    private func own(on message: Timetoken) -> [MessageAction.Key: ActionMark] {
        let author = messages[message]?.uuid
        return actions.filter { $0.key.messageTimetoken == message && $0.key.uuid == author }
    }

    /// What the hashes were at a position, of what is on messages after another.
    fileprivate func hashes(
        after start: Timetoken, at position: Timetoken
    ) -> (messages: UInt64, actions: UInt64) {
        guard start > .zero else {
            return log.last { $0.position <= position }.map { ($0.messages, $0.actions) } ?? (0, 0)
        }
        return changes.reduce(into: (0, 0)) { sum, change in
            guard change.message > start, change.position <= position else { return }
            sum = (sum.0 &+ change.messages, sum.1 &+ change.actions)
        }
    }

    /// What is on messages after a position.
    fileprivate func after(_ start: Timetoken) -> Truth.Rows {
        guard start > .zero else { return self }
        var rows = Truth.Rows()
        rows.messages = messages.filter { $0.key > start }
        rows.actions = actions.filter { $0.key.messageTimetoken > start }
        return rows
    }

    fileprivate mutating func insert(_ timetoken: Timetoken, _ entry: DeviceCache.Entry) {
        messages[timetoken] = entry
        count(timetoken, entry, times: 1, at: timetoken)
        note(timetoken)
    }

    fileprivate mutating func put(_ action: MessageAction) -> ActionMark? {
        let mark = ActionMark(action)
        let old = actions.updateValue(mark, forKey: action.key)
        removed[action.key] = nil
        count(action.key, mark, times: 1, at: action.actionTimetoken)
        note(action.actionTimetoken)
        return old
    }

    fileprivate mutating func drop(_ key: MessageAction.Key, at position: Timetoken) -> ActionMark?
    {
        let old = actions.removeValue(forKey: key)
        removed[key] = position
        if let old { count(key, old, times: -1, at: position) }
        note(position)
        return old
    }

    fileprivate mutating func delete(
        after start: Timetoken, through end: Timetoken, at position: Timetoken
    ) {
        deletions.append((start, end))
        for (timetoken, entry) in messages where start < timetoken && timetoken <= end {
            messages[timetoken] = nil
            count(timetoken, entry, times: -1, at: position)
        }
        for (key, mark) in actions
        where start < key.messageTimetoken && key.messageTimetoken <= end {
            actions[key] = nil
            count(key, mark, times: -1, at: position)
        }
        removed = removed.filter { key, _ in
            !(start < key.messageTimetoken && key.messageTimetoken <= end)
        }
        note(position)
    }

    fileprivate mutating func clear(_ clearing: Clearing, at position: Timetoken) {
        clearings.append(clearing)
        for (key, mark) in actions where clearing.covers(key) {
            actions[key] = nil
            count(key, mark, times: -1, at: position)
        }
        note(position)
    }

    private mutating func count(
        _ message: Timetoken, _ entry: DeviceCache.Entry, times: Int64, at position: Timetoken
    ) {
        let hash = Truth.hash(message, entry) &* UInt64(bitPattern: times)
        messagesHash &+= hash
        changes.append(Truth.Change(position: position, message: message, messages: hash))
    }

    private mutating func count(
        _ key: MessageAction.Key, _ mark: ActionMark, times: Int64, at position: Timetoken
    ) {
        let hash = Truth.hash(key, mark) &* UInt64(bitPattern: times)
        actionsHash &+= hash
        changes.append(
            Truth.Change(position: position, message: key.messageTimetoken, actions: hash))
    }

    private mutating func note(_ position: Timetoken) {
        log.append((position, messagesHash, actionsHash))
    }
}
