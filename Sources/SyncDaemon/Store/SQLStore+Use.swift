// What each keyset takes up of the embedded store: one row for each.
//
// What is added is known here and summed up by commit; what goes with deletions is known to the
// file alone, whose triggers take it off.

import EventModel
import SQL

extension SQLStore {
    func use(ofKeyset keyset: ExactText) throws(StoreError) -> StoredUse {
        var use = storedUses[keyset] ?? StoredUse()
        if storedUses[keyset] == nil {
            use =
                try statements.use.find.first([.text(keyset.string)]) {
                    StoredUse(channels: Int($0.integer(0)), bytes: Int($0.integer(1)))
                } ?? StoredUse()
            storedUses[keyset] = use
        }
        if let more = addedUses[keyset] { use += more }
        return use
    }

    func hasChannel(_ channel: Channel) throws(StoreError) -> Bool {
        if isNamed(channel) { return true }
        if foreseen?.newChannels.contains(channel) == true { return false }
        let arguments: [SQLValue] = [.text(channel.keyset), .text(channel.name)]
        return try statements.findChannel.first(arguments) { _ in true } ?? false
    }

    /// Notes what the open transaction adds, or takes away by what it knows.
    func noteUse(of keyset: String, channels: Int = 0, bytes: Int = 0) {
        addedUses[ExactText(keyset), default: StoredUse()] +=
            StoredUse(channels: channels, bytes: bytes)
    }

    /// Writes what the open transaction has added.
    func writeUses() throws(StoreError) {
        for (keyset, more) in addedUses {
            try statements.use.add.run(
                .text(keyset.string), .integer(Int64(more.channels)), .integer(Int64(more.bytes)))
            storedUses[keyset]? += more
        }
        addedUses = [:]
    }
}

/// What it takes to keep each keyset's use.
final class SQLUseStatements {
    let find: StoreStatement
    let add: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        find = try connection.prepare("SELECT channels, bytes FROM keyset_use WHERE keyset = ?")
        add = try connection.prepare(
            """
            INSERT INTO keyset_use VALUES (?, ?, ?) ON CONFLICT (keyset) DO UPDATE
            SET channels = keyset_use.channels + excluded.channels,
            bytes = keyset_use.bytes + excluded.bytes
            """)
    }
}
