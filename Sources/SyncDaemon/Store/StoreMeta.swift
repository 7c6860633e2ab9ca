// The names and numbers in `meta`: each is there and can be read, or the file is damaged.

import EventModel
import SQL

/// What a file says of itself as a whole.
struct StoreMeta {
    let epoch: String
    let secret: DigestSecret
    let tombstoneFloor: Timetoken
    let deletionFloor: Timetoken

    /// Reads the table of a file with the present layout, or with an earlier one.
    ///
    /// - Parameters:
    ///   - end: Nothing that the file knows of is later.
    ///   - damaged: Puts into the caller's words what is wrong.
    init<Failure>(
        _ connection: borrowing DatabaseConnection<Failure>, schema version: Int64, end: Timetoken,
        damaged: (String) -> Failure
    ) throws(Failure) {
        let find = try connection.prepare("SELECT value FROM meta WHERE name = ?")
        func value(_ name: String, since first: Int64, before: String) throws(Failure) -> String {
            guard version >= first else { return before }
            guard let value = try find.first([.text(name)], body: { $0.text(0) }) else {
                throw damaged("its \(name) is missing")
            }
            return value
        }
        func floor(_ name: String, since first: Int64) throws(Failure) -> Timetoken {
            let text = try value(name, since: first, before: "0")
            guard let floor = Timetoken(text), floor <= end else {
                throw damaged("its \(name) is \(LogText.quoted(text))")
            }
            return floor
        }
        epoch = try value("epoch", since: 1, before: "")
        guard epoch.utf8.count == 16, UInt64(epoch, radix: 16) != nil else {
            throw damaged("its epoch is \(LogText.quoted(epoch))")
        }
        let none = String(repeating: "0", count: 64)
        guard let secret = DigestSecret(try value("secret", since: 3, before: none)) else {
            throw damaged("its secret cannot be read")
        }
        self.secret = secret
        tombstoneFloor = try floor("tombstone_floor", since: 3)
        deletionFloor = try floor("deletion_floor", since: 5)
    }
}

/// A name for a new store: 64 random bits in hexadecimal.
func makeEpoch() -> String {
    var generator = SystemRandomNumberGenerator()
    return makeEpoch(using: &generator)
}

func makeEpoch(using generator: inout some RandomNumberGenerator) -> String {
    Hexadecimal.text(generator.next())
}

/// A secret for a new store.
func makeSecret() -> DigestSecret {
    var generator = SystemRandomNumberGenerator()
    return .random(using: &generator)
}
