// Whose turn it is among many, by the time that each has used.

import Basis

/// Shares of one thing: the next turn is that of whoever waits and has used least of it.
///
/// Start-time fair queueing (Goyal, Vin, Cheng, 1996): all accounts are on one scale, and who comes
/// begins where the one stands whose turn was last. So nobody has credit for having been away, and
/// who comes back soon has what was used on the account. When nobody waits, all accounts are
/// forgotten: nobody was harmed.
struct FairTurns<Key: Hashable & Sendable>: Sendable {
    private struct Account {
        var used: Int
        /// Of its entry in the heap.
        var serial: Int
        var isWaiting: Bool
    }

    private struct Entry: Comparable {
        let used: Int
        let serial: Int
        let key: Key

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.used, lhs.serial) < (rhs.used, rhs.serial)
        }
    }

    private var accounts: [Key: Account] = [:]
    /// An entry whose serial is not its account's is void.
    private var heap = Heap<Entry>()
    /// Where the one stands whose turn was last.
    private var level = 0
    private var lastSerial = 0
    /// How many wait.
    private(set) var waitingCount = 0

    /// Hears that somebody has something that waits.
    mutating func enter(_ key: Key) {
        var account = accounts[key] ?? Account(used: level, serial: 0, isWaiting: false)
        guard !account.isWaiting else { return }
        account.isWaiting = true
        account.used = max(account.used, level)
        waitingCount += 1
        list(account, of: key)
    }

    /// Hears that nothing of somebody waits any more.
    mutating func rest(_ key: Key) {
        guard accounts[key]?.isWaiting == true else { return }
        accounts[key]?.isWaiting = false
        waitingCount -= 1
        guard waitingCount == 0 else { return }
        accounts = [:]
        heap.removeAll(keepingCapacity: heap.count <= 1024)
        level = 0
    }

    /// Puts what somebody used on the account; less than nothing takes back what was guessed.
    mutating func charge(_ key: Key, _ amount: Int) {
        guard waitingCount > 0 else { return }
        var account = accounts[key] ?? Account(used: level, serial: 0, isWaiting: false)
        account.used = max(level, account.used + amount)
        list(account, of: key)
    }

    /// Whose turn it is; `nil` when nobody waits.
    ///
    /// - Complexity: O(log n), amortised.
    mutating func next() -> Key? {
        while let first = heap.first {
            guard let account = accounts[first.key], account.serial == first.serial else {
                heap.popFirst()
                continue
            }
            level = max(level, account.used)
            guard !account.isWaiting else { return first.key }
            // Everybody who waits has used as much.
            accounts[first.key] = nil
            heap.popFirst()
        }
        return nil
    }

    private mutating func list(_ account: Account, of key: Key) {
        lastSerial += 1
        var account = account
        account.serial = lastSerial
        accounts[key] = account
        // Amortised: at least half of the entries are void.
        if heap.count > 2 * accounts.count + 64 {
            heap.keep { accounts[$0.key]?.serial == $0.serial }
        }
        heap.insert(Entry(used: account.used, serial: lastSerial, key: key))
    }
}
