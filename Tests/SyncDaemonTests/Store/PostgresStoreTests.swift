// What only a store on a server promises: how it finds rows, who may write, and what it says.

import EventModel
import Foundation
import Postgres
import SQL
import Testing

@testable import SyncDaemon
@testable import TestSupport

@Suite("PostgreSQL store")
struct PostgresStoreTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func open() throws -> SQLStore {
        try SQLStore(server: TestPostgres.shared.target, schema: directory.schema)
    }

    /// A statement that a session has prepared, as the server understood it.
    private struct Prepared {
        let name: String
        let sql: String
        let parameters: [String]
    }

    private func prepared(
        on connection: borrowing StoreConnection
    ) throws(StoreError) -> [Prepared] {
        var found: [Prepared] = []
        try connection.prepare(
            """
            SELECT name, statement, array_to_string(parameter_types, ',')
            FROM pg_prepared_statements ORDER BY name
            """
        ).query { row in
            let types = row.text(2).split(separator: ",").map(String.init)
            found.append(Prepared(name: row.text(0), sql: row.text(1), parameters: types))
            return true
        }
        return found
    }

    /// Small tables that are read whole, by what they are for.
    private static let readWhole: Set<String> = ["clock", "run", "hidden", "hidden_clearing"]

    /// What of a statement's plan reads a whole table.
    private func scans(
        _ statement: Prepared, on connection: borrowing StoreConnection
    ) throws(StoreError) -> [String] {
        let values = statement.parameters.map { _ in "NULL" }.joined(separator: ", ")
        let call = values.isEmpty ? statement.name : "\(statement.name)(\(values))"
        var scans: [String] = []
        try connection.prepare("EXPLAIN (COSTS OFF) EXECUTE \(call)").query { row in
            let line = row.text(0)
            guard let at = line.range(of: "Seq Scan on ") else { return true }
            let table = line[at.upperBound...].prefix { $0 != " " }
            if !Self.readWhole.contains(String(table)) { scans.append(String(table)) }
            return true
        }
        return scans
    }

    @Test("every statement finds its rows by an index, and takes integers and texts only")
    func plans() throws {
        let store = try open()
        let reader = try #require(try store.makeReader() as? SQLReader)
        for isWriter in [true, false] {
            var checked = 0
            func check(_ connection: borrowing StoreConnection) throws {
                try connection.compileAll()
                try connection.execute("SET plan_cache_mode = force_generic_plan")
                for statement in try prepared(on: connection) {
                    let words = ["SELECT", "INSERT", "UPDATE", "DELETE"]
                    guard words.contains(where: { statement.sql.hasPrefix($0) }),
                        !statement.sql.contains("pg_")
                    else { continue }
                    let types: Set = ["bigint", "text", "bigint[]", "text[]"]
                    let isTyped = statement.parameters.allSatisfy(types.contains)
                    #expect(isTyped, "\(statement.sql): \(statement.parameters)")
                    let scans = try scans(statement, on: connection)
                    #expect(scans == [], "\(statement.sql)")
                    checked += 1
                }
            }
            if isWriter { try check(store.connection) } else { try check(reader.connection) }
            #expect(checked > 30)
        }
    }

    @Test("a second daemon is kept out of a schema, and let in when the first has gone")
    func oneWriter() throws {
        var first: SQLStore? = try open()
        #expect(throws: StoreError.inUse(path: "the PostgreSQL schema \(directory.schema)")) {
            try open()
        }
        #expect(first?.last == .zero)
        first = nil
        #expect(try open().last == .zero)
    }

    @Test("nothing is committed in a term that is over")
    func fence() throws {
        let store = try open()
        try store.publish(1, in: room)
        let place = DatabasePlace.server(
            target: try TestPostgres.shared.target, schema: directory.schema)
        let other = try place.connect(for: .reserve)
        try other.execute("UPDATE seat SET term = term + 1")

        let error = #expect(throws: StoreError.self) { try store.publish(2, in: room) }
        let text = error?.description ?? ""
        #expect(text.contains("another daemon has taken over (term 1)"))
        store.rollback()
        let last = try other.prepare("SELECT last FROM clock").first { $0.timetoken(0) }
        #expect(last == tick(1))
    }

    @Test("where a standby is asked for and there is none, no term begins")
    func standby() throws {
        let error = #expect(throws: StoreError.self) {
            try SQLStore(
                server: TestPostgres.shared.target, schema: directory.schema,
                SeatTerms(needsStandby: true))
        }
        let text = error?.description ?? ""
        #expect(text.contains("require_standby is on"))
        #expect(try open().last == .zero)
    }

    @Test("who waits sees when a schema is free, and lets alone who shows that it lives")
    func watch() throws {
        let watch = try SeatWatch(
            target: TestPostgres.shared.target, schema: directory.schema, lease: 3)
        #expect(try watch.look() == .free)
        var store: SQLStore? = try open()
        #expect(try watch.look() == .taken(by: ""))
        let place = DatabasePlace.server(
            target: try TestPostgres.shared.target, schema: directory.schema)
        try place.connect(for: .reserve).execute(
            "UPDATE seat SET renewed = renewed - interval '1 h'")
        try store?.publish(1, in: room)
        #expect(try watch.look() == .taken(by: ""))
        try place.connect(for: .reserve).execute(
            "UPDATE seat SET renewed = renewed - interval '1 h'")
        // A server lets it go just now, and it could not say so yet.
        #expect(try watch.look() == .silent)
        usleep(3_200_000)
        #expect(try watch.look() == .ended)
        #expect(throws: StoreError.self) { try store?.publish(2, in: room) }
        store = nil
        // A server takes a moment to end a session.
        var finding = try watch.look()
        for _ in 0..<200 where finding != .free {
            usleep(20_000)
            finding = try watch.look()
        }
        #expect(finding == .free)
    }

    @Test("a role that may make no schema has one, and cannot end another one's session")
    func weakRole() throws {
        let (schema, server) = (directory.schema, try TestPostgres.shared.target)
        let admin = try DatabasePlace.server(target: server, schema: "public")
            .connect(for: .reader)
        try admin.execute(
            "CREATE ROLE \(schema) LOGIN; CREATE SCHEMA \(schema) AUTHORIZATION \(schema)")
        let weak = "\(server) user=\(schema)"
        var store: SQLStore? = try SQLStore(server: weak, schema: schema)
        try store?.publish(1, in: room)
        #expect(store?.last == tick(1))
        store = nil

        // Now another role's daemon serves, and falls silent.
        let strong = try open()
        try admin.execute("UPDATE \(schema).seat SET renewed = renewed - interval '1 h'")
        let watch = try SeatWatch(target: weak, schema: schema)
        #expect(try watch.look() == .silent)
        #expect(strong.last >= tick(1))
    }

    @Test("what was committed is there for the next daemon, with its epoch, runs and secret")
    func reopens() throws {
        var store: SQLStore? = try open()
        let (epoch, secret) = (store?.epoch, store?.secret)
        try store?.publish(7, in: room)
        store = nil

        let next = try open()

        #expect(next.epoch == epoch)
        #expect(next.secret == secret)
        #expect(next.last == tick(7))
        #expect(next.runs.count == 2)
        #expect(try next.makeReader().changes(in: room, after: .zero).envelopes.count == 1)
    }

    @Test("a schema of a newer release is refused")
    func newer() throws {
        _ = try open()
        let place = DatabasePlace.server(
            target: try TestPostgres.shared.target, schema: directory.schema)
        try place.connect(for: .ledger).execute(
            "UPDATE meta SET value = '99' WHERE name = 'version'")

        let newer = StoreError.newerSchema(
            path: place.name, version: 99, known: PostgresSchema.version)
        #expect(throws: newer) { try open() }

        try place.connect(for: .ledger).execute(
            "UPDATE meta SET value = '1' WHERE name = 'version'")
        #expect(throws: StoreError.olderSchema(path: place.name, version: 1)) { try open() }
    }

    @Test("a server that is not there is told, without the password")
    func noServer() {
        let error = #expect(throws: StoreError.self) {
            try SQLStore(server: "host=/tmp/no-such password=sesame", schema: "s")
        }
        let text = "\(error?.description ?? "")"
        #expect(text.contains("The PostgreSQL schema s cannot be used"))
        #expect(text.contains("/tmp/no-such"))
        #expect(!text.contains("sesame"))
    }

    @Test("values that no index could hold are told apart, also when they begin alike")
    func longValues() throws {
        let store = try open()
        let start = String(repeating: "é", count: 5000)
        let values = ["a", "b", ""].map { start + $0 }
        try store.publish(1, in: room)
        for (offset, value) in values.enumerated() {
            try store.commit(through: UInt64(10 + offset)) {
                try $0.add(
                    MessageAction(
                        key: .on(1, value), actionTimetoken: tick(UInt64(10 + offset))), in: room)
            }
        }
        try store.commit(through: 20) { try $0.remove(.on(1, values[0]), at: tick(20), in: room) }

        #expect(try store.standingAction(.on(1, values[0]), in: room) == nil)
        #expect(try store.standingAction(.on(1, values[1]), in: room) == tick(11))
        #expect(try store.standingAction(.on(1, values[2]), in: room) == tick(12))
        #expect(try store.values(on: tick(1), in: room).count == 2)
        let reader = try store.makeReader()
        let snapshot = try reader.withSnapshot(of: room) { snapshot throws(StoreError) in
            var keys: [MessageAction.Key: MessageAction?] = [:]
            try snapshot.forEachKey(behind: nil) { key, action in
                keys.updateValue(action, forKey: key)
                return true
            }
            return keys
        }
        #expect(snapshot.count == 3)
        #expect(snapshot.values.compactMap(\.self).count == 2)
    }

    @Test("what fails at the server leaves no trace, and the store goes on")
    func failure() throws {
        let store = try open()
        try store.publish(1, in: room)
        try store.begin()
        try store.insert(.numbered(2), at: tick(1), in: room, by: "ada")
        #expect(throws: StoreError.self) { try store.commit(through: tick(2)) }
        store.rollback()
        #expect(store.last == tick(1))

        try store.publish(3, in: room)

        let page = try store.makeReader().changes(in: room, after: .zero)
        #expect(page.envelopes.map(\.timetoken) == [tick(1), tick(3)])
    }
}
