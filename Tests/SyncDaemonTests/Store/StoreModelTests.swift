// Random histories: whatever happens to two stores happens to both alike.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// A store and one in memory, told the same and asked the same.
private struct Pair {
    let stores: [any Store]
    var readers: [any StoreReader]
    var choices: SeededGenerator
    var clock: UInt64 = 0
    var isOpen = false
    /// What a device that follows each channel from the start shows.
    private var devices: [Channel: DeviceCache] = [:]
    private(set) var deletionCount = 0
    private(set) var clearingCount = 0
    /// Names of mutations since the last commit, which may be used once each.
    var mutationCount = 0

    let channels = [Channel("a"), Channel("b"), Channel("a", keyset: "k"), Channel("'\"👍")]
    let authors = [
        Author(userID: "ada", deviceID: "1"), Author(userID: "ada", deviceID: "2"),
        Author(keyset: "k", userID: "bob", deviceID: "1"),
    ]

    init(_ kind: StoreUnderTest, _ directory: ScratchDirectory, seed: UInt64) throws {
        stores = try [.memory, kind].map { try $0.make(in: directory) }
        readers = try stores.map { try $0.makeReader() }
        choices = SeededGenerator(seed: seed)
    }

    /// What each store answers; the answers must be equal.
    private func same<Answer: Equatable>(
        _ what: String, _ ask: (any Store) throws -> Answer
    ) throws -> Answer {
        let answers = try stores.map(ask)
        for other in answers.dropFirst() { #expect(answers[0] == other, "\(what)") }
        return answers[0]
    }

    /// On one of the first messages, or on a recent moment.
    private mutating func key() -> MessageAction.Key {
        let message =
            choices.chance(50)
            ? UInt64(choices.below(30)) : clock - min(clock, UInt64(choices.below(20)))
        return .on(
            message, choices.pick(["👍", "👎"]),
            type: choices.pick(["reaction", "receipt"]), by: choices.pick(["ada", "bob"]))
    }

    private mutating func place() -> ActionsPlace {
        let key = key()
        return .value(type: key.type, value: key.value, userID: key.uuid)
    }

    mutating func step() throws {
        guard isOpen else {
            for store in stores { try store.begin() }
            isOpen = true
            return
        }
        clock += UInt64(choices.below(3)) + 1
        let now = tick(clock)
        let channel = choices.pick(channels)
        switch choices.below(20) {
        case 0..<5:
            let message = Message(
                payload: String(repeating: "7", count: choices.pick([1, 10, 100, 9000])),
                meta: choices.pick([nil, "{}"]), type: choices.pick([nil, "text"]))
            let expires = choices.pick([nil, tick(clock + UInt64(choices.below(100)))])
            for store in stores {
                try store.insert(message, at: now, in: channel, by: "ada", expires: expires)
            }
        case 5:
            try delete(in: channel, at: now)
        case 6:
            let group = ChannelGroup(choices.pick(["g", "h"]), keyset: choices.pick(["", "k"]))
            let names = [choices.pick(["a", "b", "c"]), choices.pick(["B", "é", "e\u{301}"])]
            let change = choices.pick([
                GroupChange.add(names), .add(names), .remove(names), .delete,
            ])
            for store in stores { try store.change(change, of: group) }
            _ = try same("group") { try $0.channels(of: group) }
            _ = try same("groups") { try $0.groupUse(ofKeyset: group.keyset) }
            _ = try same("all groups") { try $0.groupUse(ofKeyset: nil) }
        case 7:
            try clear(in: channel, at: now)
        case 8..<13:
            let key = key()
            try compareTallies(of: key, in: channel)
            if try same("standing", { try $0.standingAction(key, in: channel) }) == nil {
                let action = MessageAction(key: key, actionTimetoken: now)
                for store in stores { try store.add(action, in: channel) }
            } else {
                for store in stores { try store.remove(key, at: now, in: channel) }
            }
        case 13..<15:
            mutationCount += 1
            let name = "m\(mutationCount)"
            let author = choices.pick(authors)
            let record = MutationRecord(fingerprint: choices.next(), outcome: .published(now))
            for store in stores { try store.remember(record, of: name, by: author, at: now) }
        case 15:
            let before = tick(clock - min(clock, UInt64(choices.below(200))))
            let limit = choices.below(4)
            for store in stores { try store.forgetMutations(before: before, limit: limit) }
        case 16 where choices.chance(30):
            try reconcile(channel)
        case 16 where choices.chance(60):
            for store in stores { store.rollback() }
            isOpen = false
        case 17 where choices.chance(60):
            let limit = choices.below(4) + 1
            for store in stores { try store.removeHiddenRows(limit: limit) }
        default:
            for store in stores { try store.commit(through: now) }
            isOpen = false
        }
        try compare()
    }

    private func compareTallies(of key: MessageAction.Key, in channel: Channel) throws {
        let message = key.messageTimetoken
        _ = try same("own") {
            try Set($0.ownActions(of: key.uuid, on: message, in: channel))
        }
        _ = try same("message") { try $0.hasMessage(message, in: channel) }
        // On a disk hidden rows count until they are removed.
        guard !stores.contains(where: \.hasHiddenRows) else { return }
        _ = try same("values") { try $0.values(on: message, in: channel) }
        _ = try same("actions") { try $0.actionCount(on: message, in: channel) }
        _ = try same("count") {
            try $0.totals(type: key.type, value: key.value, on: message, in: channel)
        }
    }

    private mutating func compareBacklogs(with channel: Channel, after cursor: Timetoken) throws {
        let interests = [
            choices.pick([.channel(channel), .prefix("", keyset: "default")]),
            Interest.channel(channels[2]),
        ]
        let limit = choices.pick([3, 40])
        let backlogs = try readers.map {
            try $0.allBacklog(interests, after: cursor, limit: limit)
        }
        for other in backlogs.dropFirst() {
            #expect(backlogs[0] == other, "\(interests) after \(cursor)")
        }
    }

    /// Of something that stands there, if anything does.
    private mutating func clearing(in channel: Channel) -> Clearing {
        let rows = (stores[0] as? MemoryStore)?.working.actions[channel] ?? [:]
        let standing = rows.filter(\.value.isLive).keys.sorted()
        let key = standing.isEmpty ? key() : choices.pick(standing)
        switch choices.below(5) {
        case 0: return Clearing(messageTimetoken: key.messageTimetoken)
        case 1: return Clearing(type: key.type, value: key.value)
        case 2: return Clearing(userID: key.uuid)
        case 3: return Clearing(messageTimetoken: key.messageTimetoken, type: key.type)
        default:
            return Clearing(
                messageTimetoken: key.messageTimetoken, type: key.type, value: key.value,
                userID: key.uuid)
        }
    }

    /// Removes what some clearing covers, at once or in steps.
    private mutating func clear(in channel: Channel, at now: Timetoken) throws {
        let clearing = clearing(in: channel)
        let limit = choices.pick([1, 3, 100])
        let covered = try same("covered by \(clearing)") { store in
            var found: [MessageAction] = []
            var next: MessageAction.Key? = .first(of: clearing)
            while let start = next {
                var left = limit
                next = try store.scanActions(
                    coveredBy: clearing, from: start, of: channel, limit: &left
                ) { found.append($0) }
            }
            return found
        }
        guard !covered.isEmpty else { return }
        clearingCount += 1
        let isAtOnce = choices.chance(50)
        for store in stores {
            if isAtOnce {
                try store.clear(covered, coveredBy: clearing, at: now, in: channel)
            } else {
                try store.hideActions(coveredBy: clearing, at: now, of: channel)
            }
        }
    }

    /// Deletes some range, or what has expired.
    private mutating func delete(in channel: Channel, at now: Timetoken) throws {
        // To a store on a disk a range may seem to hold what a clearing hid.
        while stores.contains(where: { ($0 as? SQLStore)?.hidden.clearings.isEmpty == false }) {
            for store in stores { try store.removeHiddenRows(limit: 9) }
        }
        // While rows are hidden, a store on a disk names none that expired.
        if choices.chance(50), !stores.contains(where: \.hasHiddenRows) {
            let limit = choices.below(3) + 1
            let old = try same("expired") { try $0.expired(before: now, limit: limit) }
            guard let first = old.first else { return }
            let isDone = try same("expire") {
                try $0.deleteMessages(
                    after: tick(first.timetoken.rawValue - 1), through: first.timetoken, at: now,
                    in: first.channel)
            }
            #expect(isDone)
            deletionCount += 1
        } else {
            let start = UInt64(choices.below(Int(clock)))
            // Nothing that is still to come is deleted.
            let end = min(now, tick(start + UInt64(choices.below(40))))
            let range = MessageRange(after: tick(start), through: end)
            if choices.chance(50), try same("any", { try $0.hasRows(in: range, of: channel) }) {
                for store in stores { try store.hideMessages(in: range, at: now, of: channel) }
                deletionCount += 1
                return
            }
            let isDone = try same("delete") {
                try $0.deleteMessages(after: tick(start), through: end, at: now, in: channel)
            }
            if isDone { deletionCount += 1 }
        }
    }

    /// Keeps some digest, alone or with a segment; forgets tombstones that every device has seen.
    private mutating func reconcile(_ channel: Channel) throws {
        let digest = Digest(count: 1, words: (choices.next(), choices.next()))
        let seen = channels.map { devices[$0]?.cursor ?? .zero }.min() ?? .zero
        let limit = choices.below(4)
        let isOne = choices.chance(50)
        for store in stores {
            if isOne {
                try store.setWhole(Segment(after: .zero, digest: digest), of: channel)
            } else {
                try store.setDigest(digest, of: channel)
            }
            try store.forgetTombstones(before: seen, limit: limit)
            try store.forgetDeletions(before: seen, limit: limit)
        }
        _ = try same("digest") { try $0.digest(of: channel) }
        _ = try same("tombstones") { try $0.hasTombstones(before: seen) }
        _ = try same("deletions") { try $0.hasDeletions(before: seen) }
    }

    /// What repairs and catching up from several positions need.
    private mutating func compareReconciliation(of channel: Channel) throws {
        func position() -> Timetoken { tick(UInt64(choices.below(Int(clock) + 2))) }
        let start = ChangeStart(
            messages: position(), deletions: position(), actions: position(),
            tombstones: position())
        let changes = try readers.map { try $0.allChanges(in: channel, from: start) }
        for other in changes.dropFirst() {
            #expect(changes[0] == other, "changes in \(channel) from \(start)")
        }
        _ = try same("floor") { $0.tombstoneFloor }
        _ = try same("deletions' floor") { $0.deletionFloor }
        _ = try same("count of mutations") { $0.mutationCount }
        let pages = try readers.map { try $0.changes(in: channel, from: start) }
        for other in pages.dropFirst() { #expect(pages[0] == other) }
        let since = position()
        let states = try readers.map { reader in
            try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
                var standing: Set<MessageAction> = []
                try snapshot.forEachAction { standing.insert($0) }
                var changes: [MessageAction.Key: Timetoken?] = [:]
                try snapshot.forEachChange(after: since) {
                    changes.updateValue($1?.actionTimetoken, forKey: $0)
                    return true
                }
                for action in standing {
                    let found = try snapshot.action(addedAt: action.actionTimetoken)
                    #expect(found == action, "\(action)")
                }
                return SnapshotContent(
                    cursor: snapshot.cursor, digest: snapshot.digest, standing: standing,
                    changes: changes, deletions: try snapshot.deletions(after: since),
                    clearings: try snapshot.clearings(after: since))
            }
        }
        for other in states.dropFirst() { #expect(states[0] == other, "snapshots of \(channel)") }
    }

    /// Lets a device follow by one page.
    private mutating func follow(_ channel: Channel) throws -> Bool {
        var device = devices[channel] ?? DeviceCache()
        let page = try choices.pick(readers).changes(in: channel, after: device.cursor)
        device.apply(Batch(channel: channel, cursor: page.through, envelopes: page.envelopes))
        devices[channel] = device
        return !page.isComplete
    }

    /// What a device shows that followed all the time, and what one shows that comes new.
    mutating func converges() throws {
        for channel in channels {
            while try follow(channel) {}
            var new = DeviceCache()
            for envelope in try readers[1].allChanges(in: channel, after: .zero) {
                new.apply(envelope)
            }
            #expect(devices[channel]?.canonicalBytes == new.canonicalBytes, "\(channel)")
        }
    }

    /// Asks both something that is chosen at random.
    mutating func compare() throws {
        let channel = choices.pick(channels + [Channel("unknown")])
        let after = tick(UInt64(choices.below(Int(clock) + 2)))
        let before = tick(UInt64(choices.below(Int(clock) + 2)))
        let history = HistoryQuery(
            channel: channel.name, before: choices.pick([nil, before]),
            after: choices.pick([nil, after]), limit: choices.below(8) + 1,
            includesActions: choices.chance(50), fromOldest: choices.chance(30),
            bytesMax: choices.pick([1, 300, 20_000]))
        let actions = ActionsQuery(
            channel: channel.name,
            messageTimetoken: choices.pick([nil, tick(UInt64(choices.below(6)))]),
            types: choices.pick([[], ["receipt"]]), values: choices.pick([[], ["👎"]]),
            userIDs: choices.pick([[], ["bob"], ["bob", "ada"]]),
            isDescending: choices.chance(50), after: choices.pick([nil, .time(after)]),
            until: choices.pick([nil, before]), limit: choices.below(8) + 1)
        let byValue = ActionsQuery(
            channel: channel.name, messageTimetoken: tick(UInt64(choices.below(6))),
            types: actions.types, values: actions.values, userIDs: actions.userIDs, order: .value,
            isDescending: choices.chance(50), after: choices.chance(50) ? place() : nil,
            limit: choices.below(8) + 1)
        let changes = try readers.map { try $0.allChanges(in: channel, after: after) }
        let histories = try readers.map { try $0.history(history, in: channel) }
        let pages = try readers.map { try $0.actions(actions, in: channel) }
        for other in changes.dropFirst() {
            #expect(changes[0] == other, "changes in \(channel) after \(after)")
        }
        for other in histories.dropFirst() { #expect(histories[0] == other, "\(history)") }
        for other in pages.dropFirst() { #expect(pages[0] == other, "\(actions)") }
        let values = try readers.map { try $0.actions(byValue, in: channel) }
        for other in values.dropFirst() { #expect(values[0] == other, "\(byValue)") }
        if choices.chance(25) { try compareBacklogs(with: channel, after: after) }
        if choices.chance(40) { try compareReconciliation(of: channel) }
        let counts = try readers.map {
            try $0.messageCounts([(channel, after), (channel, before)])
        }
        for other in counts.dropFirst() { #expect(counts[0] == other, "counts in \(channel)") }
        if choices.chance(20) { _ = try follow(choices.pick(channels)) }
        let key = key()
        _ = try same("key") {
            try $0.action(onMessage: key.messageTimetoken, addedAt: after, in: channel)
        }
        _ = try same("last") { $0.last }
        let author = choices.pick(authors)
        let name = "m\(choices.below(mutationCount + 1))"
        guard isOpen else { return }
        _ = try same("mutation \(name)") { try $0.outcome(of: name, by: author) }
    }
}

/// Everything that a snapshot says.
private struct SnapshotContent: Equatable {
    var cursor: Timetoken
    var digest: Digest
    var standing: Set<MessageAction>
    var changes: [MessageAction.Key: Timetoken?]
    var deletions: [MessageRange]
    var clearings: [Clearing]
}

@Suite("Stores agree")
struct StoreModelTests {
    /// A server is asked once for each row: it takes its time.
    private static let histories =
        (1...30).map { (StoreUnderTest.sqlite, UInt64($0)) }
        + (1...3).map { (StoreUnderTest.postgres, UInt64($0)) }

    @Test("on every answer, after any history", arguments: histories)
    func agree(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        var pair = try Pair(kind, directory, seed: seed)

        for _ in 0..<300 { try pair.step() }
        try pair.converges()

        #expect(pair.mutationCount > 5, "seed \(seed) did too little")
        #expect(pair.deletionCount > 0, "seed \(seed) deleted nothing")
        #expect(pair.clearingCount > 0, "seed \(seed) cleared nothing")
        #expect(pair.stores[0].last > .zero)
    }
}
