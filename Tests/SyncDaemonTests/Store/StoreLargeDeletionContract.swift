// What every store promises about deletions whose rows are removed later: nobody sees them
// meanwhile.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: large deletions")
struct StoreLargeDeletionContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let den = Channel("den")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Messages 1 to 9 with an action of three users on each, 100 to 126, of which ada's are
    /// removed at 130 on; and the same without removals in another channel.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 200) {
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.insert(
                    .numbered(number), at: tick(number), in: room, by: "ada",
                    expires: number == 2 ? tick(300) : nil)
                for (index, user) in ["ada", "bob", "eve"].enumerated() {
                    let added = tick(100 + 3 * (number - 1) + UInt64(index))
                    for channel in [room, den] {
                        try $0.add(
                            MessageAction(key: .on(number, by: user), actionTimetoken: added),
                            in: channel)
                    }
                }
            }
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.remove(.on(number, by: "ada"), at: tick(130 + number), in: room)
            }
        }
        return store
    }

    private func range(_ start: UInt64, _ end: UInt64) -> MessageRange {
        MessageRange(after: tick(start), through: tick(end))
    }

    /// Everything that a channel shows, whichever way it is asked for.
    private func views(_ store: any Store, _ channel: Channel) throws -> [[Timetoken]] {
        let reader = try store.makeReader()
        var history = HistoryQuery(channel: channel.name, limit: 3, includesActions: true)
        var views = [try reader.allChanges(in: channel, after: .zero).map(\.timetoken)]
        views.append(try reader.changes(in: channel, after: tick(3)).envelopes.map(\.timetoken))
        for fromOldest in [false, true] {
            history.fromOldest = fromOldest
            let page = try reader.history(history, in: channel)
            views.append(page.messages.map(\.timetoken))
            views.append(page.messages.flatMap(\.actions).map(\.actionTimetoken).sorted())
        }
        for fromNewest in [false, true] {
            let actions = ActionsQuery(channel: channel.name, isDescending: fromNewest)
            views.append(try reader.actions(actions, in: channel).actions.map(\.actionTimetoken))
        }
        for message in [3, 4] as [UInt64] {
            let query = ActionsQuery(channel: channel.name, messageTimetoken: tick(message))
            views.append(try reader.actions(query, in: channel).actions.map(\.actionTimetoken))
        }
        views.append(
            try reader.messageCounts([(channel, .zero), (channel, tick(5))]).map {
                tick(UInt64($0))
            })
        views.append(
            try reader.allBacklog([.channel(channel)], after: .zero, limit: 4).envelopes
                .map(\.timetoken))
        try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
            var standing: [Timetoken] = []
            try snapshot.forEachAction { standing.append($0.actionTimetoken) }
            var changed: [Timetoken] = []
            try snapshot.forEachChange(after: tick(110)) {
                changed.append($1?.actionTimetoken ?? $0.messageTimetoken)
                return true
            }
            views += [standing.sorted(), changed.sorted()]
            for moment in [107, 110, 210] as [UInt64] {
                let action = try snapshot.action(addedAt: tick(moment))
                views.append([action?.actionTimetoken ?? .zero])
            }
        }
        return views
    }

    @Test(
        "it looks to everybody as if the rows were gone, before, while and after they go",
        arguments: StoreUnderTest.allCases)
    func hides(_ kind: StoreUnderTest) throws {
        let model = try filled(.memory)
        let store = try filled(kind)
        for each in [model, store] {
            try each.commit(through: 210) {
                if each === model {
                    #expect(
                        try $0.deleteMessages(
                            after: tick(2), through: tick(7), at: tick(205), in: room))
                } else {
                    try $0.hideMessages(in: range(2, 7), at: tick(205), of: room)
                }
                #expect(try $0.standingAction(.on(4, by: "bob"), in: room) == nil)
                #expect(
                    try $0.action(onMessage: tick(4), addedAt: tick(110), in: room) == nil)
                #expect(try !$0.hasRows(in: range(2, 7), of: room))
                #expect(try $0.hasRows(in: range(1, 7), of: room))
                // Added again, one under a key that was removed and one under one that stood.
                for user in ["ada", "bob"] {
                    let again = MessageAction(
                        key: .on(4, by: user), actionTimetoken: tick(user == "ada" ? 206 : 210))
                    try $0.add(again, in: room)
                    #expect(
                        try $0.standingAction(again.key, in: room) == again.actionTimetoken)
                }
            }
        }
        let expected = try views(model, room)
        #expect(try views(store, room) == expected)
        #expect(try views(store, den) == views(model, den))

        var steps = 0
        while store.hasHiddenRows {
            steps += 1
            try store.commit(through: 210 + UInt64(steps)) { try $0.removeHiddenRows(limit: 4) }
            try model.commit(through: 210 + UInt64(steps)) { _ in }
            #expect(try views(store, room) == expected, "after step \(steps)")
            try #require(steps < 20)
        }
        #expect(kind == .memory || steps == 4)
        #expect(try store.rowCount(in: range(2, 7), of: room, limit: 99) == 2)
        #expect(try views(store, den) == views(model, den))
    }

    @Test("a rollback shows the rows again, and removes none", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        let before = try views(store, room)
        try store.begin()
        try store.hideMessages(in: range(2, 7), at: tick(205), of: room)
        #expect(try !store.hasRows(in: range(2, 7), of: room))
        store.rollback()
        #expect(try store.hasRows(in: range(2, 7), of: room))
        #expect(try views(store, room) == before)
        #expect(!store.hasHiddenRows)

        try store.commit(through: 210) {
            try $0.hideMessages(in: range(2, 7), at: tick(205), of: room)
        }
        let hidden = try views(store, room)
        for _ in 1...9 {
            try store.begin()
            try store.removeHiddenRows(limit: 4)
            store.rollback()
        }
        #expect(try views(store, room) == hidden)
        #expect(store.hasHiddenRows == (kind != .memory))
    }

    @Test("what is hidden stays so over a restart, and goes then")
    func survives() throws {
        do {
            let store = try filled(.sqlite)
            try store.commit(through: 210) {
                try $0.hideMessages(in: range(0, 7), at: tick(205), of: room)
            }
            try store.commit(through: 211) { try $0.removeHiddenRows(limit: 5) }
        }
        let store = try SQLStore(directory: directory.path)
        let expected = try views(store, room)
        #expect(store.hasHiddenRows)
        #expect(try store.expired(before: tick(999), limit: 9) == [])
        #expect(try store.rowCount(in: range(0, 7), of: room, limit: 99) == 2 + 16)
        #expect(try store.rowCount(in: range(0, 7), of: room, limit: 7) == 7)
        var number = UInt64(212)
        while store.hasHiddenRows {
            try store.commit(through: number) { try $0.removeHiddenRows(limit: 5) }
            number += 1
        }
        #expect(try store.rowCount(in: range(0, 7), of: room, limit: 99) == 0)
        #expect(Array(try views(store, room)[1...]) == Array(expected[1...]))
    }

    @Test(
        "actions are read in steps, each once", arguments: StoreUnderTest.allCases, [1, 2, 5, 99])
    func scans(_ kind: StoreUnderTest, _ limit: Int) throws {
        let store = try filled(kind)
        var found: [MessageAction.Key] = []
        var next: MessageAction.Key? = .first(onMessageAfter: tick(2))
        while let start = next {
            next = try store.scanActions(
                from: start, through: tick(7), of: room, limit: limit
            ) { found.append($0.key) }
        }
        let expected = (3...7).flatMap { number in
            ["bob", "eve"].map { MessageAction.Key.on(UInt64(number), by: $0) }
        }
        #expect(found == expected)
    }

    @Test(
        "messages are read in steps, each once, but for what is hidden",
        arguments: StoreUnderTest.allCases, [1, 2, 5, 99])
    func scansMessages(_ kind: StoreUnderTest, _ limit: Int) throws {
        let store = try kind.make(in: directory)
        var found: [MessageRow] = []
        try store.commit(through: 30) {
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "u\(number)")
            }
            try $0.insert(.numbered(1), at: tick(10), in: Channel("den"), by: "ada")
            try $0.hideMessages(in: range(3, 5), at: tick(20), of: room)
            var rest: MessageRange? = range(1, 8)
            while let part = rest {
                let before = found.count
                rest = try $0.scanMessages(in: part, of: room, limit: limit) { found.append($0) }
                #expect(found.count - before <= limit)
            }
        }
        #expect(
            found
                == [2, 3, 6, 7, 8].map { (number: UInt64) in
                    MessageRow(
                        timetoken: tick(number), uuid: "u\(number)",
                        type: Message.numbered(number).type)
                })
    }

    @Test("a step costs the same wherever it is, and however much there is")
    func stepsAreBounded() throws {
        let store = try SQLStore(directory: directory.path)
        try store.commit(through: 9000) {
            try $0.insert(.numbered(1), at: tick(1), in: room, by: "ada")
            for number in 1...4000 as ClosedRange<UInt64> {
                try $0.add(
                    MessageAction(
                        key: .on(1, by: "user\(number)"), actionTimetoken: tick(1 + number)),
                    in: room)
            }
        }
        func work() -> Int {
            let large = store.statements.large
            return large.scanActions.stepCount + large.lastOfStep.stepCount
                + large.deleteStep.stepCount
                + large.deleteRest.stepCount
        }
        var next: MessageAction.Key? = .first(onMessageAfter: .zero)
        var before = work()
        while let start = next {
            next = try store.scanActions(
                from: start, through: .end, of: room, limit: 100, body: { _ in })
            #expect(work() - before < 4000)
            before = work()
        }
        try store.commit(through: 9001) {
            try $0.hideMessages(in: range(0, 1), at: tick(9001), of: room)
        }
        var steps = UInt64(0)
        while store.hasHiddenRows {
            before = work()
            try store.commit(through: 9002 + steps) { try $0.removeHiddenRows(limit: 100) }
            // With what the triggers do for a row.
            #expect(work() - before < 22_000)
            steps += 1
        }
        #expect(steps == 41)
    }
}
