// What every store promises for reconciliation: digests, starts of each kind, tombstones with an
// end.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: reconciliation")
struct StoreReconciliationContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let den = Channel("den")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func added(_ key: MessageAction.Key, _ timetoken: UInt64) -> MessageAction {
        MessageAction(key: key, actionTimetoken: tick(timetoken))
    }

    // MARK: Digests

    @Test(
        "a digest is kept with its transaction, for each channel",
        arguments: StoreUnderTest.allCases)
    func keepsDigests(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        let digest = Digest(count: -3, words: (.max, 1 << 63))
        #expect(try store.digest(of: room) == .empty)
        try store.commit(through: 5) { try $0.setDigest(digest, of: room) }

        #expect(try reader.digest(of: room).digest == digest)
        #expect(try reader.digest(of: room).cursor == tick(5))
        #expect(try reader.digest(of: den).digest == .empty)
        #expect(try reader.digest(of: den).cursor == tick(5))
        try store.begin()
        try store.setDigest(.empty, of: room)
        #expect(try store.digest(of: room) == .empty)
        #expect(try reader.digest(of: room).digest == digest)
        store.rollback()
        #expect(try store.digest(of: room) == digest)
    }

    @Test(
        "what a digest covers of a stretch is what stands there, with and without hidden rows",
        arguments: StoreUnderTest.allCases)
    func coversStretches(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 90) {
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
                try $0.add(added(.on(number, "a"), 20 + number), in: room)
                try $0.add(added(.on(number, "b"), 40 + number), in: room)
                try $0.remove(.on(number, "b"), at: tick(60 + number), in: room)
            }
            try $0.insert(.numbered(1), at: tick(80), in: den, by: "ada")
            try $0.add(added(.on(0, "zero"), 81), in: room)
        }
        func check(_ numbers: ClosedRange<UInt64>) throws {
            let reader = try store.makeReader()
            for (after, through) in [(0, 9), (0, 2), (3, 6), (8, 9)] as [(UInt64, UInt64)] {
                let range = MessageRange(after: tick(after), through: tick(through))
                var rows: Set<UInt64> = []
                var whole: Set<UInt64> = []
                try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
                    try snapshot.forEachCoveredRow(in: range) { rows.insert($0.timetoken.rawValue) }
                    try snapshot.forEachWholeRow(in: range) { whole.insert($0.timetoken.rawValue) }
                }
                let standing = numbers.filter { after < $0 && $0 <= through }
                let expected = standing + standing.map { 20 + $0 } + (after == 0 ? [81] : [])
                #expect(rows == Set(expected), "after \(after), through \(through)")
                #expect(whole == rows)
            }
        }
        try check(1...9)
        guard let hiding = store as? SQLStore else { return }
        try hiding.commit(through: 95) {
            try $0.hideMessages(
                in: MessageRange(after: tick(5), through: tick(9)), at: tick(95), of: room)
        }
        try check(1...5)
    }

    @Test(
        "segments are kept with their transaction, and hold what is between two of them",
        arguments: StoreUnderTest.allCases)
    func keepsSegments(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func place(_ message: UInt64) throws -> [Timetoken] {
            let (segment, through) = try store.segment(of: tick(message), in: room)
            return [segment.after, through]
        }
        #expect(try place(5) == [.zero, .end])
        func segment(_ start: UInt64, _ count: Int) -> Segment {
            Segment(
                after: tick(start), messageCount: count,
                digest: Digest(count: -3, words: (.max, start)))
        }
        try store.commit(through: 5) {
            for start in [20, 0, 10] as [UInt64] { try $0.setSegment(segment(start, 1), of: room) }
            try $0.setSegment(segment(10, 2), of: room)
            try $0.setDigest(.empty, of: room)
            try $0.setSegment(segment(0, 9), of: den)
        }

        #expect(try place(1) == [.zero, tick(10)])
        #expect(try place(10) == [.zero, tick(10)])
        #expect(try place(11) == [tick(10), tick(20)])
        #expect(try place(21) == [tick(20), .end])
        #expect(try store.segment(of: tick(15), in: room).segment == segment(10, 2))
        let all = [segment(20, 1), segment(10, 2), segment(0, 1)]
        #expect(try storedSegments(of: room, in: store) == all)
        try store.begin()
        try store.removeSegments(from: tick(1), before: tick(20), of: room)
        #expect(try place(15) == [.zero, tick(20)])
        #expect(try storedSegments(of: room, in: store) == all)
        store.rollback()
        #expect(try store.segment(of: tick(15), in: room).segment == segment(10, 2))
        try store.commit(through: 6) {
            try $0.removeSegments(from: tick(10), before: tick(20), of: room)
        }
        #expect(try storedSegments(of: room, in: store) == [all[0], all[2]])
        #expect(try storedSegments(of: den, in: store) == [segment(0, 9)])
    }

    @Test(
        "the last page of changes, and no other, says the state", arguments: StoreUnderTest.allCases
    )
    func pagesSayDigest(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let digest = Digest(count: 7, words: (1, 2))
        let count = UInt64(Limits.catchUpEventsMax) + 10
        try store.commit(through: count) {
            for number in 1...count { try $0.add(added(.on(number), number), in: room) }
            try $0.setDigest(digest, of: room)
        }

        let pages = try store.makeReader().allPages(in: room, after: .zero)

        #expect(pages.map(\.digest) == [nil, digest])
        #expect(pages.last?.through == tick(count))
    }

    // MARK: Where reading starts

    @Test(
        "messages, actions and tombstones each start where asked",
        arguments: StoreUnderTest.allCases)
    func startsApart(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 8) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
            try $0.add(added(.on(1), 2), in: room)
            try $0.add(added(.on(9), 3), in: room)
            try $0.remove(.on(9), at: tick(4), in: room)
            try $0.insert(.numbered(5), at: tick(5), in: room, by: "ada")
            try $0.add(added(.on(5), 6), in: room)
            #expect(
                try $0.deleteMessages(after: tick(4), through: tick(5), at: tick(8), in: room))
        }
        let reader = try store.makeReader()
        func seen(_ messages: UInt64, _ actions: UInt64, _ tombstones: UInt64) throws -> [UInt64] {
            let start = ChangeStart(
                messages: tick(messages), deletions: tick(messages), actions: tick(actions),
                tombstones: tick(tombstones))
            return try reader.changes(in: room, from: start).envelopes.map(\.timetoken.rawValue)
        }

        #expect(try seen(0, 0, 0) == [1, 2, 4, 8])
        #expect(try seen(1, 0, 0) == [2, 4, 8])
        #expect(try seen(0, 2, 0) == [1, 4, 8])
        #expect(try seen(0, 0, 4) == [1, 2, 8])
        #expect(try seen(0, 8, 8) == [1, 8])
        #expect(try seen(8, 0, 8) == [2])
        #expect(try seen(8, 8, 8) == [])
    }

    @Test(
        "pages follow each other from any start, also where nothing is to be seen",
        arguments: StoreUnderTest.allCases)
    func pagesFromStart(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let count = UInt64(Limits.actionsExaminedMax) + 1000
        try store.commit(through: count + 600) {
            for number in 1...count {
                try $0.add(added(.on(number), number), in: room)
                // As the ledger never does, but what it leaves is the same.
                if number < count - 10 { try $0.remove(.on(number), at: tick(number), in: room) }
            }
            for number in count + 1...count + 600 {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
        }
        let reader = try store.makeReader()
        var start = ChangeStart(
            messages: .zero, deletions: .end, actions: .zero, tombstones: .end)
        var seen: [Timetoken] = []
        var isComplete = false
        while !isComplete {
            let page = try reader.changes(in: room, from: start)
            guard page.through > start.actions || page.isComplete else {
                Issue.record("stands still at \(start)")
                return
            }
            seen += page.envelopes.map(\.timetoken)
            start = start.advanced(to: page.through)
            isComplete = page.isComplete
        }

        #expect(seen == (count - 10...count + 600).map(tick))
    }

    // MARK: Deletions

    @Test("a deletion says which actions stood, and only those", arguments: StoreUnderTest.allCases)
    func saysWhatStood(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 8) {
            for number in 1...3 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
            try $0.add(added(.on(1), 4), in: room)
            try $0.add(added(.on(2), 5), in: room)
            try $0.add(added(.on(2, "👎"), 6), in: room)
            try $0.remove(.on(2, "👎"), at: tick(7), in: room)
            try $0.add(added(.on(3), 8), in: room)
            try $0.add(added(.on(2), 8), in: den)
        }
        var gone: [CoveredRow] = []
        func delete(through end: UInt64) throws -> Bool {
            var isDone = false
            try store.commit(through: 9) {
                isDone = try $0.deleteMessages(
                    after: tick(1), through: tick(end), at: tick(9), in: room,
                    eachRow: { gone.append($0) })
            }
            return isDone
        }

        #expect(try delete(through: 3))
        func message(_ number: UInt64) -> CoveredRow {
            .message(
                MessageRow(
                    timetoken: tick(number), uuid: "ada", type: Message.numbered(number).type))
        }
        #expect(
            Set(gone) == [
                message(2), message(3), .action(added(.on(2), 5)), .action(added(.on(3), 8)),
            ])
        #expect(gone.count == 4)
        #expect(try !delete(through: 3))
        #expect(gone.count == 4)
    }

    // MARK: Tombstones

    @Test(
        "the oldest tombstones are forgotten first, and the floor never forgets what they were",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        try store.commit(through: 20) {
            for (number, channel) in [(1, room), (2, den), (3, room), (4, room)] {
                let number = UInt64(number)
                try $0.add(added(.on(number), number), in: channel)
                try $0.remove(.on(number), at: tick(number + 10), in: channel)
            }
            try $0.add(added(.on(5), 5), in: room)
        }
        func left() throws -> [UInt64] {
            try [room, den].flatMap { try reader.allChanges(in: $0, after: .zero) }
                .map(\.timetoken.rawValue).sorted()
        }
        #expect(store.tombstoneFloor == .zero)
        #expect(try !store.hasTombstones(before: tick(11)))
        #expect(try store.hasTombstones(before: tick(12)))

        try store.begin()
        try store.forgetTombstones(before: tick(14), limit: 2)
        #expect(store.tombstoneFloor == .zero)
        store.rollback()
        #expect(try left() == [5, 11, 12, 13, 14])
        #expect(store.tombstoneFloor == .zero)

        try store.commit(through: 21) {
            try $0.forgetTombstones(before: tick(14), limit: 1)
            try $0.forgetTombstones(before: tick(14), limit: 1)
        }
        #expect(try left() == [5, 13, 14])
        #expect(store.tombstoneFloor == tick(12))
        try store.commit(through: 22) { try $0.forgetTombstones(before: tick(14), limit: 9) }
        #expect(try left() == [5, 14])
        #expect(store.tombstoneFloor == tick(13))
        try store.commit(through: 23) { try $0.forgetTombstones(before: tick(14), limit: 9) }
        #expect(store.tombstoneFloor == tick(13))
        #expect(try !store.hasTombstones(before: tick(14)))
        // Who was removed and added again is no tombstone.
        try store.commit(through: 24) {
            try $0.add(added(.on(4), 24), in: room)
            try $0.forgetTombstones(before: .end, limit: 9)
        }
        #expect(try left() == [5, 24])
        #expect(store.tombstoneFloor == tick(13))
    }

    // MARK: Snapshots

    @Test("a snapshot is one committed state of one channel", arguments: StoreUnderTest.allCases)
    func snapshots(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let digest = Digest(count: 1, words: (2, 3))
        try store.commit(through: 9) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
            try $0.add(added(.on(1), 2), in: room)
            try $0.add(added(.on(5), 3), in: room)
            try $0.add(added(.on(6), 4), in: room)
            try $0.remove(.on(6), at: tick(5), in: room)
            try $0.add(added(.on(5), 6), in: den)
            #expect(
                try $0.deleteMessages(after: .zero, through: tick(1), at: tick(7), in: room))
            try $0.setDigest(digest, of: room)
        }

        try store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
            // What is committed meanwhile is not in it.
            do { try store.publish(10, in: room) } catch { Issue.record(error) }
            #expect(snapshot.cursor == tick(9))
            #expect(snapshot.digest == digest)
            var standing: [MessageAction] = []
            try snapshot.forEachAction { standing.append($0) }
            #expect(standing == [added(.on(5), 3)])
            #expect(try snapshot.action(addedAt: tick(3)) == added(.on(5), 3))
            for timetoken in [1, 2, 4, 5, 6] as [UInt64] {
                #expect(try snapshot.action(addedAt: tick(timetoken)) == nil)
            }
            #expect(
                try snapshot.deletions(after: tick(6))
                    == [MessageRange(after: .zero, through: tick(1))])
            #expect(try snapshot.deletions(after: tick(7)) == [])
            var changes: [MessageAction.Key: Timetoken?] = [:]
            try snapshot.forEachChange(after: tick(2)) {
                changes.updateValue($1?.actionTimetoken, forKey: $0)
                return true
            }
            #expect(changes == [.on(5): tick(3), .on(6): nil])
            changes = [:]
            try snapshot.forEachChange(after: tick(5)) {
                changes.updateValue($1?.actionTimetoken, forKey: $0)
                return true
            }
            #expect(changes == [:])
            var count = 0
            try snapshot.forEachChange(after: .zero) { _, _ in
                count += 1
                return false
            }
            #expect(count == 1, "until the body has enough")
        }
        try store.makeReader().withSnapshot(of: Channel("none")) { snapshot throws(StoreError) in
            #expect(snapshot.digest == .empty)
            try snapshot.forEachAction { _ in Issue.record("an action from nowhere") }
            #expect(try snapshot.action(addedAt: tick(3)) == nil)
        }
    }
}
