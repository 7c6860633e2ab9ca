// States that users set for channels that they are not in (yet).

import Basis
import EventModel

/// States by channel and user; the ones set longest ago make room for new ones.
///
/// Refusing new ones instead would let one client fill it up and lock all others out for ever.
struct PresenceAbsentStates {
    struct Key: Hashable {
        let channel: Channel
        let userID: ExactText
    }

    private struct Entry {
        let state: String
        let serial: UInt64
    }

    private var entries: [Key: Entry] = [:]
    /// In the order of setting; what is no longer in `entries` under this serial is void.
    private var order = Queue<(serial: UInt64, key: Key)>()
    private var lastSerial: UInt64 = 0
    private(set) var byteCount = 0

    var count: Int { entries.count }

    subscript(key: Key) -> String? { entries[key]?.state }

    mutating func set(_ state: String, for key: Key) {
        remove(key)
        lastSerial += 1
        entries[key] = Entry(state: state, serial: lastSerial)
        order.append((lastSerial, key))
        byteCount += state.utf8.count
    }

    @discardableResult
    mutating func remove(_ key: Key) -> String? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        byteCount -= entry.state.utf8.count
        // Amortised: at least half of the order is void.
        if order.count > 2 * entries.count + 64 {
            order.removeAll { entries[$0.key]?.serial != $0.serial }
        }
        return entry.state
    }

    /// - Precondition: It is not empty.
    mutating func removeOldest() {
        while let (serial, key) = order.popFirst() {
            guard entries[key]?.serial == serial else { continue }
            remove(key)
            return
        }
        preconditionFailure("There is no state to remove.")
    }
}
