// A store that lives as long as the process: for tests, and the model that every other store must
// match.

import Basis
import EventModel

/// Everything in dictionaries; readers see copies.
final class MemoryStore: Store {
    struct ActionRow: Sendable {
        var added: Timetoken
        var changed: Timetoken
        var isLive: Bool
        var score = 1

        func action(under key: MessageAction.Key) -> MessageAction {
            MessageAction(key: key, actionTimetoken: added, score: score)
        }

        func envelope(of key: MessageAction.Key, in channel: Channel) -> Envelope {
            let action = action(under: key)
            return Envelope(
                channel: channel, timetoken: changed, uuid: key.uuid,
                event: isLive ? .actionAdded(action) : .actionRemoved(action))
        }
    }

    struct MutationName: Hashable, Sendable {
        let author: Author
        let name: ExactText
    }

    struct State: Sendable {
        var last = Timetoken.zero
        var clock = ClockRecord()
        var ages: [AgeMark] = []
        var messages: [Channel: [StoredMessage]] = [:]
        var expiries: [ExpiredMessage: Timetoken] = [:]
        /// Ascending by timetoken.
        var deletions: [Channel: [Envelope]] = [:]
        /// Ascending by timetoken.
        var clearings: [Channel: [(timetoken: Timetoken, clearing: Clearing)]] = [:]
        var groups: [ChannelGroup: Set<ExactText>] = [:]
        var actions: [Channel: [MessageAction.Key: ActionRow]] = [:]
        var digests: [Channel: Digest] = [:]
        /// Ascending.
        var segments: [Channel: [Segment]] = [:]
        var tombstoneFloor = Timetoken.zero
        var deletionFloor = Timetoken.zero
        /// When each may be forgotten, on the retention clock.
        var revoked: [RevokedToken: Timetoken] = [:]
        var keyGrants: [KeyGrantSubject: (grant: KeyGrant, forgettable: Timetoken)] = [:]
        var readMarks: [Channel: [ExactText: Timetoken]] = [:]
        var files: [FileID: StoredFile] = [:]
        /// By channel who registered it.
        var pushDevices: [PushDevice: [ExactText: ExactText]] = [:]
        var outbox = OutboxRows()
        var mutations: [MutationName: (record: MutationRecord, timetoken: Timetoken)] = [:]
    }

    let epoch: String
    let runs: [StoreRun]
    let secret: DigestSecret
    /// What readers see.
    let committed: Locked<State>
    /// What the open transaction has made of it.
    var working: State

    /// - Parameters:
    ///   - runs: The present one last.
    ///   - state: What an earlier store left, as a file would keep it.
    init(
        epoch: String = makeEpoch(), secret: DigestSecret = makeSecret(),
        runs: [StoreRun] = [StoreRun(after: .zero)], state: State = State()
    ) {
        self.epoch = epoch
        self.secret = secret
        self.runs = runs
        var state = state
        state.last = max(state.last, state.clock.ceiling)
        committed = Locked(state)
        working = state
    }

    /// What is committed: what would be left after a crash.
    var durable: State { committed.withLock { $0 } }

    var last: Timetoken { working.last }
    var clock: ClockRecord { committed.withLock { $0.clock } }
    var tombstoneFloor: Timetoken { committed.withLock { $0.tombstoneFloor } }
    var deletionFloor: Timetoken { committed.withLock { $0.deletionFloor } }

    func giveSpaceBack() -> Bool { false }
    func giveRoomBack() -> Bool { false }

    func begin() {}

    func commit(through last: Timetoken, _ clock: ClockRecord) {
        working.last = last
        working.clock = clock
        let state = working
        committed.withLock { $0 = state }
    }

    func rollback() {
        working = committed.withLock { $0 }
    }

    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String,
        expires: Timetoken?
    ) {
        working.messages[channel, default: []].append(
            StoredMessage(timetoken: timetoken, uuid: uuid, message: message))
        working.expiries[ExpiredMessage(channel: channel, timetoken: timetoken)] = expires
    }

    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachRow: (CoveredRow) -> Void
    ) -> Bool {
        func isIncluded(_ message: Timetoken) -> Bool { start < message && message <= end }
        guard hasRows(in: MessageRange(after: start, through: end), of: channel) else {
            return false
        }
        for message in working.messages[channel, default: []] where isIncluded(message.timetoken) {
            working.expiries[ExpiredMessage(channel: channel, timetoken: message.timetoken)] = nil
            eachRow(.message(message.row))
        }
        working.messages[channel]?.removeAll { isIncluded($0.timetoken) }
        for (key, row) in working.actions[channel, default: [:]]
        where isIncluded(key.messageTimetoken) {
            if row.isLive { eachRow(.action(row.action(under: key))) }
            working.actions[channel]?[key] = nil
        }
        working.deletions[channel]?.removeAll {
            guard case .messagesDeleted(let after, let through) = $0.event else { return false }
            return start <= after && through <= end
        }
        working.deletions[channel, default: []].append(
            .deletion(after: start, through: end, at: timetoken, in: channel))
        return true
    }

    func rowCount(in range: MessageRange, of channel: Channel, limit: Int) -> Int {
        let messages = working.messages[channel, default: []].count {
            range.contains($0.timetoken)
        }
        let actions = working.actions[channel, default: [:]].keys.count {
            range.contains($0.messageTimetoken)
        }
        return min(limit, messages + actions)
    }

    func hasRows(in range: MessageRange, of channel: Channel) -> Bool {
        working.messages[channel, default: []].contains { range.contains($0.timetoken) }
            || working.actions[channel, default: [:]].keys.contains {
                range.contains($0.messageTimetoken)
            }
    }

    func scanMessages(
        in range: MessageRange, of channel: Channel, limit: Int, body: (MessageRow) -> Void
    ) -> MessageRange? {
        let found = working.messages[channel, default: []].filter { range.contains($0.timetoken) }
        for message in found.prefix(limit) { body(message.row) }
        guard found.count >= limit else { return nil }
        return MessageRange(after: found[limit - 1].timetoken, through: range.through)
    }

    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) -> MessageAction.Key? {
        let rows = working.actions[channel, default: [:]]
            .filter { $0.key >= start && $0.key.messageTimetoken <= end }
            .sorted { $0.key < $1.key }
        for (key, row) in rows.prefix(limit) where row.isLive {
            body(row.action(under: key))
        }
        return rows.count < limit ? nil : rows[limit - 1].key.next
    }

    /// Removes them: there is no disk to wait for.
    func hideMessages(in range: MessageRange, at timetoken: Timetoken, of channel: Channel) {
        _ = deleteMessages(
            after: range.after, through: range.through, at: timetoken, in: channel,
            eachRow: { _ in })
    }

    let hasHiddenRows = false

    func removeHiddenRows(limit: Int) {}

    func expired(before moment: Timetoken, limit: Int) -> [ExpiredMessage] {
        let old = working.expiries.filter { $0.value < moment }.sorted {
            ($0.value, $0.key.timetoken) < ($1.value, $1.key.timetoken)
        }
        return old.prefix(limit).map(\.key)
    }

    func action(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) -> MessageAction? {
        let found = working.actions[channel]?.first { key, row in
            key.messageTimetoken == message && row.isLive && row.added == timetoken
        }
        return found.map { $0.value.action(under: $0.key) }
    }

    func action(under key: MessageAction.Key, in channel: Channel) -> MessageAction? {
        guard let row = working.actions[channel]?[key], row.isLive else { return nil }
        return row.action(under: key)
    }

    func add(_ action: MessageAction, in channel: Channel) {
        working.actions[channel, default: [:]][action.key] = ActionRow(
            added: action.actionTimetoken, changed: action.actionTimetoken, isLive: true,
            score: action.score)
    }

    func remove(_ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel) {
        working.actions[channel]?[key]?.changed = timetoken
        working.actions[channel]?[key]?.isLive = false
    }

    func digest(of channel: Channel) -> Digest {
        working.digests[channel] ?? .empty
    }

    func setDigest(_ digest: Digest, of channel: Channel) {
        working.digests[channel] = digest
    }

    // MARK: Groups

    func channels(of group: ChannelGroup) -> [String] {
        working.groups[group, default: []].sorted().map(\.string)
    }

    func change(_ change: GroupChange, of group: ChannelGroup) {
        var channels = working.groups[group, default: []]
        switch change {
        case .add(let names): channels.formUnion(names.map(ExactText.init))
        case .remove(let names): channels.subtract(names.map(ExactText.init))
        case .delete: channels = []
        }
        working.groups[group] = channels.isEmpty ? nil : channels
    }

    func allGroups() -> [GroupMembership] {
        working.groups.keys.map { GroupMembership(group: $0, channels: channels(of: $0)) }
    }

    func groupUse(ofKeyset keyset: String?) -> GroupUse {
        let keyset = keyset.map(ExactText.init)
        let groups = working.groups.filter { keyset == nil || ExactText($0.key.keyset) == keyset }
        return GroupUse(
            groups: groups.count, channels: groups.values.reduce(0) { $0 + $1.count })
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        { [committed] in MemoryReader(committed) }
    }
}
