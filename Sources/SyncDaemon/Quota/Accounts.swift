// The account book: one account per tenant.

import Basis
import EventModel
import Synchronization

/// All accounts; any thread may ask.
final class Accounts: Sendable {
    let pressure: MemoryPressure
    let unsent: UnsentPool
    private let pool: SubscriptionPool
    private let accounts = Locked<[ExactText: Account]>([:])

    init(
        pressure: MemoryPressure = MemoryPressure(), unsent: UnsentPool = UnsentPool(),
        subscriptionsMax: Int = Limits.subscriptionsMax
    ) {
        self.pressure = pressure
        self.unsent = unsent
        pool = SubscriptionPool(max: subscriptionsMax, within: pressure)
    }

    /// The account of a tenant, which there is from now on.
    ///
    /// Tenants are configured: so there are few.
    func account(of keyset: Keyset) -> Account {
        accounts.withLock { accounts in
            let key = ExactText(keyset.subscribeKey)
            if let account = accounts[key] { return account }
            let account = Account(of: keyset, sharing: pool)
            accounts[key] = account
            return account
        }
    }

    /// The account of the tenant with this key, which may be none that is configured.
    func account(of subscribeKey: String) -> Account {
        account(of: Keyset(subscribeKey: subscribeKey))
    }

    /// Takes what the tenants' owners were given from now on.
    func apply(_ keysets: Keysets) {
        for keyset in keysets.configured.isEmpty
            ? [keysets.standard] : Array(keysets.configured.values)
        {
            account(of: keyset).apply(keyset.quotas)
        }
    }

    /// By subscribe key, for operators.
    var all: [Account] {
        accounts.withLock { Array($0.values) }.sorted { $0.subscribeKey < $1.subscribeKey }
    }
}

/// The subscriptions of all tenants.
final class SubscriptionPool: Sendable {
    private let max: Int
    private let pressure: MemoryPressure
    private let held = Atomic<Int>(0)

    init(max: Int, within pressure: MemoryPressure) {
        self.max = max
        self.pressure = pressure
    }

    func add(_ count: Int) { held.add(count) }

    var free: Int { capacity - held.value }

    /// They never fill the memory that the process may have: then newcomers would be turned away,
    /// and not who has them.
    var capacity: Int {
        Limits.fitting(max, each: Limits.subscriptionMemoryBytes, within: pressure.max)
    }
}
