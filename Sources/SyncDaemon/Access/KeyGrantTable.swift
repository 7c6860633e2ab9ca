// Grants of version 2 by place and by key: what each look and each change of them costs.

import EventModel

/// The grants of one tenant.
struct KeyGrantTable: Sendable {
    struct Place: Hashable, Sendable {
        let level: KeyGrantSubject.Level
        let name: ExactText

        static let keyset = Place(level: .keyset, name: ExactText(""))
    }

    /// Changes whenever a grant is taken back or made less that concerns somebody: what is open
    /// by it is looked at again.
    struct Mark: Hashable, Sendable {
        /// Of what everybody may do.
        var ofAll: UInt64 = 0
        /// Of one key.
        var ofKey: UInt64 = 0
    }

    private struct Entry: Sendable {
        let bits: UInt8
        let expiry: Int64
        /// For who asks what is granted.
        let authKey: ExactText?
    }

    /// What is granted at one place.
    private struct Granted: Sendable {
        var all: Entry?
        var keys: [AuthKeyID: Entry] = [:]

        subscript(key: AuthKeyID?) -> Entry? {
            get { key.map { keys[$0] } ?? all }
            set { if let key { keys[key] = newValue } else { all = newValue } }
        }

        var isEmpty: Bool { all == nil && keys.isEmpty }
    }

    private struct Holder: Sendable {
        var count = 0
        var mark: UInt64
    }

    private var places: [Place: Granted] = [:]
    /// Who has grants; `nil` is everybody.
    private var holders: [AuthKeyID?: Holder] = [:]
    private var lastMark: UInt64 = 0

    // MARK: Changes

    /// Puts a grant in the place of a former one for the same.
    mutating func put(_ grant: KeyGrant, of key: AuthKeyID?) {
        let place = Place(level: grant.subject.level, name: grant.subject.name)
        let entry = Entry(bits: grant.bits, expiry: grant.expiry, authKey: grant.subject.authKey)
        let old = put(grant.bits == 0 ? nil : entry, at: place, of: key)
        guard let old, old.bits & ~grant.bits != 0 || grant.expiry < old.expiry else { return }
        lastMark += 1
        holders[key]?.mark = lastMark
    }

    /// Forgets a grant whose time is over: nothing is open by it any more.
    mutating func forget(_ subject: KeyGrantSubject, of key: AuthKeyID?) {
        put(nil, at: Place(level: subject.level, name: subject.name), of: key)
    }

    /// - Returns: What stood there.
    @discardableResult
    private mutating func put(_ entry: Entry?, at place: Place, of key: AuthKeyID?) -> Entry? {
        let old = places[place]?[key]
        if let entry {
            places[place, default: Granted()][key] = entry
        } else if old != nil {
            places[place]?[key] = nil
            if places[place]?.isEmpty ?? false { places[place] = nil }
        }
        let change = (entry == nil ? 0 : 1) - (old == nil ? 0 : 1)
        guard change != 0 else { return old }
        // A new holder has a mark of its own: whose last grant went is told from it.
        if holders[key] == nil {
            lastMark += 1
            holders[key] = Holder(mark: lastMark)
        }
        holders[key]?.count += change
        if holders[key]?.count == 0 { holders[key] = nil }
        return old
    }

    // MARK: Looks

    func stands(at place: Place, of key: AuthKeyID?) -> Bool { places[place]?[key] != nil }

    func isHolder(_ key: AuthKeyID?) -> Bool { holders[key] != nil }

    /// - Parameter key: `nil` for who has none, whom only grants to everybody concern.
    func mark(of key: AuthKeyID?) -> Mark {
        Mark(ofAll: holders[nil]?.mark ?? 0, ofKey: key.flatMap { holders[$0]?.mark } ?? 0)
    }

    /// What is granted at a place, to a key and to everybody, together.
    ///
    /// - Parameter end: Brought forward to the end of what the answer rests on.
    func bits(at place: Place, of key: AuthKeyID?, at now: Int64, end: inout Int64) -> UInt8 {
        guard let granted = places[place] else { return 0 }
        var bits: UInt8 = 0
        for case let entry? in [granted.all, key.flatMap { granted.keys[$0] }]
        where now < entry.expiry {
            bits |= entry.bits
            end = min(end, entry.expiry)
        }
        return bits
    }

    /// What stands at some places, or at all.
    ///
    /// - Parameter keys: Empty for everybody's, and those of all keys.
    /// - Returns: In no order; `nil` when it is more than `limit`.
    func granted(
        in keyset: ExactText, at named: [Place], to keys: [AuthKeyID], limit: Int, at now: Int64
    ) -> [KeyGrant]? {
        var found: [KeyGrant] = []
        func add(_ entry: Entry?, at place: Place) -> Bool {
            guard let entry, now < entry.expiry else { return true }
            guard found.count < limit else { return false }
            let subject = KeyGrantSubject(
                keyset: keyset, level: place.level, name: place.name, authKey: entry.authKey)
            found.append(KeyGrant(subject: subject, bits: entry.bits, expiry: entry.expiry))
            return true
        }
        for place in named.isEmpty ? Array(places.keys) : named {
            guard let granted = places[place] else { continue }
            if keys.isEmpty {
                guard add(granted.all, at: place),
                    granted.keys.values.allSatisfy({ add($0, at: place) })
                else { return nil }
            } else {
                guard keys.allSatisfy({ add(granted.keys[$0], at: place) }) else { return nil }
            }
        }
        return found
    }
}
