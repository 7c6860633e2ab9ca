// What every store promises about what moderators remove: at once or in steps, everybody sees it
// gone from one commit on.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: clearings")
struct StoreClearingContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let den = Channel("den")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// What ada, bob and eve said of three messages, in two channels: 👍 and ❤️, a receipt, and an
    /// edit of ada's; bob took his ❤️ back.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 200) {
            var added = UInt64(100)
            for channel in [room, den] {
                for message in 1...3 as ClosedRange<UInt64> {
                    for (type, value, users) in [
                        ("reaction", "👍", ["ada", "bob", "eve"]),
                        ("reaction", "❤️", ["ada", "bob"]),
                        ("receipt", "👍", ["bob"]), ("edited", "\"x\"", ["ada"]),
                    ] {
                        for user in users {
                            added += 1
                            try $0.add(
                                MessageAction(
                                    key: .on(message, value, type: type, by: user),
                                    actionTimetoken: tick(added), score: user == "eve" ? 5 : 1),
                                in: channel)
                        }
                    }
                    added += 1
                    try $0.remove(.on(message, "❤️", by: "bob"), at: tick(added), in: channel)
                }
            }
        }
        return store
    }

    private static let clearings: [Clearing] = [
        Clearing(messageTimetoken: tick(2)), Clearing(userID: "bob"), Clearing(userID: "nobody"),
        Clearing(type: "reaction", value: "👍"), Clearing(messageTimetoken: tick(1), userID: "ada"),
        Clearing(messageTimetoken: tick(2), type: "reaction"),
        Clearing(messageTimetoken: tick(3), type: "reaction", value: "❤️", userID: "bob"),
        Clearing(type: "edited", userID: "ada"), Clearing(messageTimetoken: tick(9)),
    ]

    private func standing(_ store: any Store, _ channel: Channel) throws -> [MessageAction] {
        let query = ActionsQuery(channel: channel.name)
        return try store.makeReader().actions(query, in: channel).actions
    }

    private func covered(
        _ clearing: Clearing, _ store: any Store, limit: Int = 1000
    ) throws -> [MessageAction] {
        var found: [MessageAction] = []
        var next: MessageAction.Key? = .first(of: clearing)
        var steps = 0
        while let start = next {
            var left = limit
            next = try store.scanActions(
                coveredBy: clearing, from: start, of: room, limit: &left
            ) { found.append($0) }
            steps += 1
            try #require(steps < 500)
        }
        return found
    }

    @Test(
        "what it covers is found in steps of any size, each once and in order",
        arguments: StoreUnderTest.allCases, [1, 2, 3, 7, 1000])
    func scans(_ kind: StoreUnderTest, _ limit: Int) throws {
        let store = try filled(kind)
        let all = try standing(store, room)
        for clearing in Self.clearings {
            let expected = all.filter { clearing.covers($0.key) }.sorted { $0.key < $1.key }
            #expect(try covered(clearing, store, limit: limit) == expected, "\(clearing)")
        }
        // What authors make of their own messages goes only by its name.
        #expect(try !covered(Self.clearings[0], store).contains { $0.key.type == "edited" })
        #expect(try covered(Clearing(type: "edited", userID: "ada"), store).count == 3)
    }

    @Test("they are gone, and one event says so", arguments: StoreUnderTest.allCases)
    func clears(_ kind: StoreUnderTest) throws {
        for (number, clearing) in Self.clearings.enumerated() {
            let scratch = try ScratchDirectory()
            let store = try StoreClearingContract(in: scratch).filled(kind)
            let before = try standing(store, room)
            let tombstones = try removals(store)
            let gone = try covered(clearing, store)
            try store.commit(through: 300) {
                try $0.clear(gone, coveredBy: clearing, at: tick(300), in: room)
                #expect(try covered(clearing, store) == [])
            }
            #expect(
                try standing(store, room) == before.filter { !clearing.covers($0.key) },
                "\(clearing)")
            #expect(try standing(store, den).count == before.count)
            let reader = try store.makeReader()
            let event = Envelope.clearing(clearing, at: tick(300), in: room)
            #expect(try reader.allChanges(in: room, after: tick(200)) == [event])
            #expect(try reader.allChanges(in: room, after: tick(300)) == [])
            // Who comes with nothing never had them.
            #expect(try !reader.allChanges(in: room, from: .ofNothing).contains(event))
            #expect(try removals(store) == tombstones, "\(number)")
        }
    }

    private init(in directory: ScratchDirectory) {
        self.directory = directory
    }

    private func removals(_ store: any Store) throws -> [Envelope] {
        try store.makeReader().allChanges(in: room, after: .zero).filter {
            if case .actionRemoved = $0.event { true } else { false }
        }
    }

    @Test("who was cleared may say the same again", arguments: StoreUnderTest.allCases)
    func standsAgain(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let clearing = Clearing(userID: "bob")
        let gone = try covered(clearing, store)
        try store.commit(through: 300) {
            try $0.clear(gone, coveredBy: clearing, at: tick(299), in: room)
            try $0.add(
                MessageAction(key: .on(1, by: "bob"), actionTimetoken: tick(300)), in: room)
        }
        #expect(try covered(clearing, store).map(\.actionTimetoken) == [tick(300)])
        var device = DeviceCache()
        for event in try store.makeReader().allChanges(in: room, after: .zero) {
            device.apply(event)
        }
        #expect(device.actionTimetoken(of: .on(1, by: "bob")) == tick(300))
        #expect(device.actionTimetoken(of: .on(2, by: "bob")) == nil)
    }

    // MARK: In steps

    @Test(
        "hidden ones are gone for everybody, before, while and after their rows go",
        arguments: StoreUnderTest.allCases, clearings)
    func hides(_ kind: StoreUnderTest, _ clearing: Clearing) throws {
        let store = try filled(kind)
        let rest = try standing(store, room).filter { !clearing.covers($0.key) }
        let hadBob = try store.standingAction(.on(2, by: "bob"), in: room)
        let again = MessageAction(key: .on(2, by: "eve"), actionTimetoken: tick(301), score: 2)
        let wasEve = clearing.covers(again.key)
        try store.commit(through: 302) {
            try $0.hideActions(coveredBy: clearing, at: tick(300), of: room)
            #expect(try covered(clearing, store) == [])
            let isBobGone = clearing.covers(.on(2, by: "bob"))
            #expect(
                try $0.standingAction(.on(2, by: "bob"), in: room) == (isBobGone ? nil : hadBob))
            // Added again under a key whose row may still be there.
            if wasEve { try $0.add(again, in: room) }
        }
        let expected = rest + (wasEve ? [again] : [])
        var steps = UInt64(0)
        repeat {
            #expect(
                Set(try standing(store, room)) == Set(expected), "\(clearing), step \(steps)")
            let reader = try store.makeReader()
            for message in 1...3 as ClosedRange<UInt64> {
                for order in [ActionsQuery.Order.time, .value] {
                    let query = ActionsQuery(
                        channel: "room", messageTimetoken: tick(message), order: order)
                    let page = try reader.actions(query, in: room)
                    let there = expected.filter { $0.key.messageTimetoken == tick(message) }
                    #expect(Set(page.actions) == Set(there), "\(clearing), step \(steps)")
                }
                try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
                    var totals: [ActionName: ActionTotals] = [:]
                    for action in expected where action.key.messageTimetoken == tick(message) {
                        totals[ActionName(action.key), default: ActionTotals()].count += 1
                        totals[ActionName(action.key), default: ActionTotals()].score +=
                            action.score
                    }
                    #expect(try snapshot.totals(on: tick(message)) == totals, "step \(steps)")
                }
            }
            steps += 1
            try store.commit(through: 302 + steps) { try $0.removeHiddenRows(limit: 2) }
            try #require(steps < 99)
        } while store.hasHiddenRows
        #expect(Set(try standing(store, room)) == Set(expected))
        // Counts are as if nothing had ever been there.
        for message in 1...3 as ClosedRange<UInt64> {
            let there = expected.filter { $0.key.messageTimetoken == tick(message) }
            #expect(try store.actionCount(on: tick(message), in: room) == there.count)
            let thumbs = there.filter { $0.key.type == "reaction" && $0.key.value == "👍" }
            let totals = try store.totals(
                type: "reaction", value: "👍", on: tick(message), in: room)
            #expect(totals.count == thumbs.count)
            #expect(totals.score == thumbs.reduce(0) { $0 + $1.score })
        }
        #expect(try store.use(ofKeyset: ExactText("default")) == recountedUse(store))
    }

    private func recountedUse(_ store: any Store) throws -> StoredUse {
        var use = StoredUse()
        use.channels = 2
        for channel in [room, den] {
            for action in try standing(store, channel) {
                use.bytes += StoredUse.bytes(of: action.key)
            }
        }
        return use
    }

    @Test("a rollback shows them again", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let before = try standing(store, room)
        let clearing = Clearing(userID: "bob")
        try store.begin()
        try store.hideActions(coveredBy: clearing, at: tick(300), of: room)
        store.rollback()
        #expect(try standing(store, room) == before)
        #expect(!store.hasHiddenRows)
        #expect(try !covered(clearing, store).isEmpty)
        try store.begin()
        try store.clear(covered(clearing, store), coveredBy: clearing, at: tick(300), in: room)
        store.rollback()
        #expect(try standing(store, room) == before)
    }

    @Test("what is hidden stays so over a restart, and goes then")
    func survives() throws {
        let clearing = Clearing(type: "reaction", value: "👍")
        do {
            let store = try filled(.sqlite)
            try store.commit(through: 300) {
                try $0.hideActions(coveredBy: clearing, at: tick(300), of: room)
            }
            try store.commit(through: 301) { try $0.removeHiddenRows(limit: 3) }
        }
        let store = try SQLStore(directory: directory.path)
        #expect(store.hasHiddenRows)
        #expect(try covered(clearing, store) == [])
        var number = UInt64(302)
        while store.hasHiddenRows {
            try store.commit(through: number) { try $0.removeHiddenRows(limit: 3) }
            number += 1
        }
        #expect(try standing(store, room).count == 3 * 3)
        #expect(try store.actionCount(on: tick(1), in: room) == 3)
    }

    @Test("a step costs the same however much there is, and a user's few rows cost little")
    func stepsAreBounded() throws {
        let store = try SQLStore(directory: directory.path)
        try store.commit(through: 9000) {
            for number in 1...4000 as ClosedRange<UInt64> {
                try $0.add(
                    MessageAction(
                        key: .on(1, number % 2 == 0 ? "👍" : "❤️", by: "user\(number)"),
                        actionTimetoken: tick(1 + number)), in: room)
            }
        }
        func work() -> Int {
            let clearings = store.statements.large.clearings
            return clearings.groupsFrom.stepCount + clearings.rowsOfGroup.stepCount
                + clearings.deleteStanding.stepCount
        }
        var before = work()
        #expect(try covered(Clearing(userID: "user7"), store).count == 1)
        #expect(work() - before < 300)
        let all = Clearing(messageTimetoken: tick(1), type: "reaction", value: "👍")
        var next: MessageAction.Key? = .first(of: all)
        while let start = next {
            before = work()
            var left = 100
            next = try store.scanActions(
                coveredBy: all, from: start, of: room, limit: &left, body: { _ in })
            #expect(work() - before < 4000)
        }
        try store.commit(through: 9001) {
            try $0.hideActions(coveredBy: all, at: tick(9001), of: room)
        }
        var steps = UInt64(0)
        while store.hasHiddenRows {
            before = work()
            try store.commit(through: 9002 + steps) { try $0.removeHiddenRows(limit: 100) }
            // With what the triggers do for a row.
            #expect(work() - before < 24_000)
            steps += 1
        }
        #expect(steps <= 22)
        #expect(try store.actionCount(on: tick(1), in: room) == 2000)
    }

    // MARK: Forgetting

    @Test(
        "they are forgotten with the tombstones, the oldest first",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        for (offset, user) in ["ada", "bob", "eve"].enumerated() {
            let clearing = Clearing(type: "reaction", userID: user)
            let gone = try covered(clearing, store)
            try store.commit(through: 301 + UInt64(offset)) {
                try $0.clear(
                    gone, coveredBy: clearing, at: tick(301 + UInt64(offset)), in: room)
            }
        }
        #expect(try store.hasTombstones(before: tick(302)))
        // Six tombstones are older.
        try store.commit(through: 310) { try $0.forgetTombstones(before: tick(999), limit: 7) }
        #expect(store.tombstoneFloor == tick(301))
        let reader = try store.makeReader()
        #expect(
            try reader.allChanges(in: room, after: tick(200)).map(\.timetoken)
                == [tick(302), tick(303)])
        try store.commit(through: 311) { try $0.forgetTombstones(before: tick(303), limit: 7) }
        #expect(store.tombstoneFloor == tick(302))
        #expect(try store.hasTombstones(before: tick(304)))
        #expect(try !store.hasTombstones(before: tick(303)))
        try store.begin()
        try store.forgetTombstones(before: tick(304), limit: 7)
        store.rollback()
        #expect(store.tombstoneFloor == tick(302))
        #expect(try store.hasTombstones(before: tick(304)))
    }

    @Test("a salvaged file has none that were hidden, and a digest of the rest")
    func salvages() throws {
        do {
            let store = try filled(.sqlite)
            try store.commit(through: 300) {
                try $0.hideActions(
                    coveredBy: Clearing(messageTimetoken: tick(1)), at: tick(300), of: room)
                try $0.hideActions(coveredBy: Clearing(userID: "bob"), at: tick(301), of: room)
                try $0.hideMessages(
                    in: MessageRange(after: tick(2), through: tick(3)), at: tick(302), of: room)
            }
        }
        let target = directory.path + "/new.db"
        var generator = SystemRandomNumberGenerator()
        let salvage = try Salvage(
            from: SQLStore.path(in: directory.path), to: target, using: &generator)
        #expect(try salvage.run() == [])
        let expected = 2 + 2
        let count = try salvage.new.prepare(
            "SELECT count(*) FROM action WHERE live = 1 AND channel = 1"
        ).first { $0.integer(0) }
        let counted = try salvage.new.prepare(
            "SELECT count FROM segment WHERE channel = 1 ORDER BY after DESC LIMIT 1"
        ).first { $0.integer(0) }
        // ada's edit of the first message, and of the second what ada and eve said.
        #expect(count == Int64(expected + 1))
        #expect(counted == count)
    }
}
