// The revoked tokens of the embedded store: one row for each.

import EventModel
import SQL

extension SQLStore {
    func revoke(_ token: RevokedToken, forgettable: Timetoken) throws(StoreError) {
        try statements.revoked.insert.run(
            .text(token.keyset.string), .text(token.id.text), .integer(token.expiry),
            .timetoken(forgettable))
    }

    func isRevoked(_ token: RevokedToken) throws(StoreError) -> Bool {
        try statements.revoked.find.first([.text(token.keyset.string), .text(token.id.text)]) {
            _ in true
        } ?? false
    }

    func allRevoked() throws(StoreError) -> [RevokedToken] {
        try connection.allRevoked(path: path)
    }

    func revokedCount(inKeyset keyset: ExactText) throws(StoreError) -> Int {
        let count = try statements.revoked.count.first([.text(keyset.string)]) { $0.integer(0) }
        return Int(count ?? 0)
    }

    func hasForgettableRevoked(
        before moment: Timetoken, expiredAt seconds: Int64
    ) throws(StoreError) -> Bool {
        try statements.revoked.findOld.first([.timetoken(moment), .integer(seconds)]) { _ in true }
            ?? false
    }

    func forgetRevoked(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) throws(StoreError) -> [RevokedToken] {
        guard !hasNothingOld(.revoked) else { return [] }
        var forgotten: [RevokedToken] = []
        try statements.revoked.forget.query(
            .timetoken(moment), .integer(seconds), .integer(Int64(limit))
        ) { row in
            if let token = RevokedToken(row) { forgotten.append(token) }
            return true
        }
        return forgotten
    }
}

extension StoreConnection {
    /// As ``Store/allRevoked()`` has it.
    func allRevoked(path: String) throws(StoreError) -> [RevokedToken] {
        var tokens: [RevokedToken] = []
        var damage: String?
        try prepare("SELECT keyset, id, expiry FROM revoked_token").query { row in
            guard let token = RevokedToken(row) else {
                damage = row.text(1)
                return false
            }
            tokens.append(token)
            return true
        }
        if let damage {
            throw .damaged(path: path, reason: "\(LogText.quoted(damage)) is no token's id")
        }
        return tokens
    }
}

extension RevokedToken {
    /// - Returns: `nil` when the id is none.
    init?(_ row: borrowing DatabaseRow) {
        guard let id = TokenID(row.text(1)) else { return nil }
        self.init(keyset: ExactText(row.text(0)), id: id, expiry: row.integer(2))
    }
}

/// What it takes to remember revoked tokens, and to forget them.
final class SQLRevokedStatements {
    let insert: StoreStatement
    let find: StoreStatement
    let count: StoreStatement
    let findOld: StoreStatement
    let forget: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        insert = try connection.prepare(
            "INSERT INTO revoked_token VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
        find = try connection.prepare("SELECT 1 FROM revoked_token WHERE keyset = ? AND id = ?")
        count = try connection.prepare("SELECT count(*) FROM revoked_token WHERE keyset = ?")
        // One that the wall clock holds back is looked at each time: only a clock that went back
        // has any.
        let old = "FROM revoked_token WHERE forgettable < ? AND expiry <= ?"
        findOld = try connection.prepare("SELECT 1 \(old) LIMIT 1")
        forget = try connection.prepare(
            """
            DELETE FROM revoked_token WHERE (keyset, id) IN (SELECT keyset, id \(old) LIMIT ?)
            RETURNING keyset, id, expiry
            """)
    }
}
