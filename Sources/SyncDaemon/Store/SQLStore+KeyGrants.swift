// The grants of version 2 in the embedded store: one row for each.

import EventModel
import SQL

extension SQLStore {
    func put(_ grant: KeyGrant, forgettable: Timetoken) throws(StoreError) {
        try statements.keyGrants.put.run(
            grant.subject.columns + [
                .integer(Int64(grant.bits)), .integer(grant.expiry), .timetoken(forgettable),
            ])
    }

    func takeBack(_ subject: KeyGrantSubject) throws(StoreError) {
        try statements.keyGrants.delete.run(subject.columns)
    }

    func hasKeyGrant(_ subject: KeyGrantSubject) throws(StoreError) -> Bool {
        try statements.keyGrants.find.first(subject.columns) { _ in true } ?? false
    }

    func allKeyGrants() throws(StoreError) -> [KeyGrant] {
        try connection.allKeyGrants(path: path)
    }

    func keyGrantCount(inKeyset keyset: ExactText?) throws(StoreError) -> Int {
        let count =
            if let keyset {
                try statements.keyGrants.count.first([.text(keyset.string)]) { $0.integer(0) }
            } else {
                try statements.keyGrants.countAll.first([]) { $0.integer(0) }
            }
        return Int(count ?? 0)
    }

    func hasForgettableKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64
    ) throws(StoreError) -> Bool {
        try statements.keyGrants.findOld.first([.timetoken(moment), .integer(seconds)]) { _ in true
        }
            ?? false
    }

    func forgetKeyGrants(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) throws(StoreError) -> [KeyGrantSubject] {
        guard !hasNothingOld(.keyGrants) else { return [] }
        var forgotten: [KeyGrantSubject] = []
        try statements.keyGrants.forget.query(
            .timetoken(moment), .integer(seconds), .integer(Int64(limit))
        ) { row in
            if let subject = KeyGrantSubject(row) { forgotten.append(subject) }
            return true
        }
        return forgotten
    }
}

extension StoreConnection {
    /// As ``Store/allKeyGrants()`` has it.
    func allKeyGrants(path: String) throws(StoreError) -> [KeyGrant] {
        var grants: [KeyGrant] = []
        var damage: String?
        try prepare("SELECT \(KeyGrantSubject.names), bits, expiry FROM key_grant").query { row in
            guard let subject = KeyGrantSubject(row), let bits = UInt8(exactly: row.integer(4)),
                bits != 0, bits & ~KeyGrant.allBits == 0
            else {
                damage = row.text(2)
                return false
            }
            grants.append(KeyGrant(subject: subject, bits: bits, expiry: row.integer(5)))
            return true
        }
        if let damage {
            throw .damaged(path: path, reason: "no grant says so of \(LogText.quoted(damage))")
        }
        return grants
    }
}

extension SQLiteSchema {
    /// - `key_grant`: `level` as ``KeyGrantSubject/Level`` has it, `name` empty for the whole
    ///   keyset and `auth_key` for everybody; `bits` are PubNub's; `expiry` in Unix seconds,
    ///   `forgettable` the same on the retention clock, both beyond all clocks for what has no end.
    static let keyGrants = """
        CREATE TABLE key_grant(
            keyset TEXT NOT NULL, level INTEGER NOT NULL, name TEXT NOT NULL,
            auth_key TEXT NOT NULL, bits INTEGER NOT NULL, expiry INTEGER NOT NULL,
            forgettable INTEGER NOT NULL, PRIMARY KEY (keyset, level, name, auth_key))
            WITHOUT ROWID;
        CREATE INDEX key_grant_by_end ON key_grant(forgettable);
        """
}

extension KeyGrantSubject {
    /// The table's key.
    static let names = "keyset, level, name, auth_key"

    /// Nobody's auth key is empty, so that this stands for everybody.
    var columns: [SQLValue] {
        [
            .text(keyset.string), .integer(level.rawValue), .text(name.string),
            .text(authKey?.string ?? ""),
        ]
    }

    /// - Returns: `nil` when there is no such level.
    init?(_ row: borrowing DatabaseRow) {
        guard let level = Level(rawValue: row.integer(1)) else { return nil }
        let key = row.text(3)
        self.init(
            keyset: ExactText(row.text(0)), level: level, name: ExactText(row.text(2)),
            authKey: key.isEmpty ? nil : ExactText(key))
    }
}

/// What it takes to keep grants, and to forget them.
final class SQLKeyGrantStatements {
    let put: StoreStatement
    let delete: StoreStatement
    let find: StoreStatement
    let count: StoreStatement
    let countAll: StoreStatement
    let findOld: StoreStatement
    let forget: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        let names = KeyGrantSubject.names
        let one = "FROM key_grant WHERE (\(names)) = (?, ?, ?, ?)"
        put = try connection.prepare(
            """
            INSERT INTO key_grant VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (\(names))
            DO UPDATE SET bits = excluded.bits, expiry = excluded.expiry,
            forgettable = excluded.forgettable
            """)
        delete = try connection.prepare("DELETE \(one)")
        find = try connection.prepare("SELECT 1 \(one)")
        count = try connection.prepare("SELECT count(*) FROM key_grant WHERE keyset = ?")
        countAll = try connection.prepare("SELECT count(*) FROM key_grant")
        let old = "FROM key_grant WHERE forgettable < ? AND expiry <= ?"
        findOld = try connection.prepare("SELECT 1 \(old) LIMIT 1")
        forget = try connection.prepare(
            """
            DELETE FROM key_grant WHERE (\(names)) IN (SELECT \(names) \(old) LIMIT ?)
            RETURNING \(names)
            """)
    }
}
