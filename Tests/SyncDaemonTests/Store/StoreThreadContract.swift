// What every store knows of threads.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: threads")
struct StoreThreadContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Message 1 with the replies 3, 5, … 21, message 2 with 4, and a reply of another channel's.
    private func make(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 50) {
            for number in 1...22 as ClosedRange<UInt64> {
                var parent: Timetoken?
                if number > 2 { parent = number % 2 == 1 ? tick(1) : number == 4 ? tick(2) : nil }
                let message = Message(payload: "\(number)", parent: parent)
                try $0.insert(message, at: tick(number), in: room, by: "ada")
            }
            let foreign = Message(payload: "0", parent: tick(1))
            try $0.insert(foreign, at: tick(30), in: Channel("den"), by: "ada")
        }
        return store
    }

    private func counts(_ store: any Store) throws -> [UInt64: Int] {
        let page = try store.makeReader().history(HistoryQuery(channel: "room"), in: room)
        return page.messages.reduce(into: [:]) { counts, message in
            if message.threadCount > 0 { counts[message.timetoken.rawValue] = message.threadCount }
        }
    }

    @Test("replies have their parent, everywhere", arguments: StoreUnderTest.allCases)
    func parents(_ kind: StoreUnderTest) throws {
        let store = try make(kind)
        let reader = try store.makeReader()
        let events = try reader.allChanges(in: room, after: .zero)
        let expected = (1...22).map { (number: UInt64) -> Timetoken? in
            number == 4 ? tick(2) : number > 2 && number % 2 == 1 ? tick(1) : nil
        }
        let parents = events.map { event -> Timetoken? in
            if case .message(let message) = event.event { message.parent } else { nil }
        }
        #expect(parents == expected)
        let page = try reader.history(HistoryQuery(channel: "room"), in: room)
        #expect(page.messages.map(\.message.parent) == expected)
        #expect(try counts(store) == [1: 10, 2: 1])
    }

    @Test(
        "a thread is read in pages, in both directions", arguments: StoreUnderTest.allCases,
        [true, false])
    func pages(_ kind: StoreUnderTest, forward: Bool) throws {
        let reader = try make(kind).makeReader()
        var query = HistoryQuery(channel: "room", limit: 3, parent: tick(1))
        if forward { query.after = .zero }
        var found: [UInt64] = []
        var pages = 0
        repeat {
            let page = try reader.history(query, in: room)
            let numbers = page.messages.map(\.timetoken.rawValue)
            found = forward ? found + numbers : numbers + found
            if forward { query.after = page.next } else { query.before = page.next }
            pages += 1
            #expect(pages < 9)
            guard page.next != nil else { break }
        } while pages < 9
        #expect(found == Array(stride(from: 3, through: 21, by: 2)))
        #expect(pages == 4)
        query = HistoryQuery(channel: "room", parent: tick(9))
        #expect(try reader.history(query, in: room).messages == [])
    }

    @Test(
        "what is deleted is in no thread, and counted no more", arguments: StoreUnderTest.allCases)
    func deletions(_ kind: StoreUnderTest) throws {
        let store = try make(kind)
        try store.commit(through: 60) {
            _ = try $0.deleteMessages(after: tick(2), through: tick(5), at: tick(51), in: room)
        }
        #expect(try counts(store) == [1: 8])
        try store.commit(through: 70) {
            let range = MessageRange(after: tick(5), through: tick(9))
            try $0.hideMessages(in: range, at: tick(61), of: room)
        }
        func replies() throws -> [UInt64] {
            let query = HistoryQuery(channel: "room", parent: tick(1))
            return try store.makeReader().history(query, in: room).messages
                .map(\.timetoken.rawValue)
        }
        #expect(try replies() == Array(stride(from: 11, through: 21, by: 2)))
        while store.hasHiddenRows {
            try store.commit(through: 70) { try $0.removeHiddenRows(limit: 2) }
        }
        #expect(try counts(store) == [1: 6])
        #expect(try replies().count == 6)
    }

    @Test("an entry of a thread whose message is missing is damage, and no reply")
    func damaged() throws {
        _ = try make(.sqlite)
        let path = SQLStore.path(in: directory.path)
        // Behind the table's back: the row is another message's, its entry stays.
        try StoreConnection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'parent IS NOT NULL', 'parent > 1000')
            WHERE name = 'message_by_parent';
            """)
        try StoreConnection(path: path).execute("DELETE FROM message WHERE timetoken = 5")
        try StoreConnection(path: path).execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'parent > 1000', 'parent IS NOT NULL')
            WHERE name = 'message_by_parent';
            """)
        let reader = try SQLStore(directory: directory.path).makeReader()
        #expect(throws: StoreError.self) {
            try reader.history(HistoryQuery(channel: "room", parent: tick(1)), in: room)
        }
    }
}
