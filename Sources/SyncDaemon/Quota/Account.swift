// What one tenant has of the daemon, and whether it may have more.

import Basis
import EventModel
import Synchronization

/// Why somebody may not have more, for now.
enum QuotaRefusal: Error, Hashable, Sendable {
    /// The tenant has all that its owner was given.
    case exceeded(Quota, max: Int)
    /// One connection follows as many as it may: others of its tenant may need the rest.
    case share(max: Int)
    /// The daemon has no more to give, or no more for this tenant: others may need it.
    case exhausted
}

/// The account of one tenant, on which all threads write.
final class Account: Sendable {
    private struct State: Sendable {
        var quotas: Quotas
        var held = [Int](repeating: 0, count: Quota.allCases.count)
        var refused = [Int](repeating: 0, count: Quota.allCases.count)
        var bucket: TokenBucket
        var refusedCommands = 0
        /// Bytes on their way that are not stored yet.
        var reserved = 0
        /// What commands have cost, carried out or refused.
        var asked: UInt64 = 0
        /// What this daemon may give, beside others of the cluster.
        var share: TenantShare

        /// How much it has of everything, as far as is known here.
        func total(_ quota: Quota) -> Int {
            let others =
                switch quota {
                case .connections: share.connections
                case .subscriptions: share.subscriptions
                // The daemon that orders counts those for all.
                case .memberships, .groups, .channels, .storedBytes: 0
                }
            return held[quota.rawValue] + others
        }

        /// What of the rate is this daemon's.
        mutating func setRate() {
            let part = Double(share.part) / Double(TenantShare.whole)
            bucket.setRate(Double(quotas.commandsPerSecond) * part)
        }
    }

    /// What its tenant is called by clients.
    let subscribeKey: String
    private let pool: SubscriptionPool
    /// Whether the rate is less than nobody reaches: commands of others need no lock.
    private let hasRate: Atomic<Bool>
    private let hasStoreBounds: Atomic<Bool>
    private let state: Locked<State>

    init(of keyset: Keyset, sharing pool: SubscriptionPool) {
        subscribeKey = keyset.subscribeKey
        self.pool = pool
        hasRate = Atomic(keyset.quotas.hasRate)
        hasStoreBounds = Atomic(keyset.quotas.boundsStore)
        state = Locked(
            State(
                quotas: keyset.quotas,
                bucket: TokenBucket(ratePerSecond: keyset.quotas.commandsPerSecond, at: 0),
                share: TenantShare(subscribeKey: keyset.subscribeKey)))
    }

    /// Takes what the owner was given from now on; what the tenant has, it keeps.
    func apply(_ quotas: Quotas) {
        state.withLock { state in
            let isOtherRate = state.quotas.commandsPerSecond != quotas.commandsPerSecond
            state.quotas = quotas
            if isOtherRate { state.setRate() }
        }
        hasRate.store(quotas.hasRate, ordering: .relaxed)
        hasStoreBounds.store(quotas.boundsStore, ordering: .relaxed)
    }

    /// Notes that the tenant has more, or less, whether or not it may.
    func add(_ quota: Quota, _ count: Int = 1) {
        if quota == .subscriptions { pool.add(count) }
        state.withLock { state in
            state.held[quota.rawValue] += count
            precondition(state.held[quota.rawValue] >= 0, "Nothing is given back twice.")
        }
    }

    /// Whether what the tenant stores has a bound: writes of others need no look at it.
    var boundsStore: Bool { hasStoreBounds.load(ordering: .relaxed) }

    /// Notes how much the tenant has.
    func set(_ quota: Quota, _ count: Int) {
        state.withLock { $0.held[quota.rawValue] = count }
    }

    /// Whether the tenant may have so much more than `held`, which becomes what it has.
    func check(_ quota: Quota, _ count: Int, besides held: Int) throws(QuotaRefusal) {
        let refusal = state.withLock { state -> QuotaRefusal? in
            state.held[quota.rawValue] = held
            return Self.refusal(of: quota, count, &state)
        }
        if let refusal { throw refusal }
    }

    /// Keeps room for bytes that are on their way to the store, if the tenant may have it; what is
    /// stored meanwhile counts, too.
    ///
    /// Whoever gets it gives it back with ``release(reserved:)``.
    func reserve(storedBytes count: Int) throws(QuotaRefusal) {
        let refusal = state.withLock { state -> QuotaRefusal? in
            if let refusal = Self.refusal(of: .storedBytes, state.reserved + count, &state) {
                return refusal
            }
            state.reserved += count
            return nil
        }
        if let refusal { throw refusal }
    }

    func release(reserved count: Int) {
        state.withLock { state in
            state.reserved -= count
            precondition(state.reserved >= 0, "Nothing is given back twice.")
        }
    }

    /// Gives the tenant more, if it may have it.
    func take(_ quota: Quota, _ count: Int = 1) throws(QuotaRefusal) {
        let refusal = state.withLock { state -> QuotaRefusal? in
            if let refusal = Self.refusal(of: quota, count, &state) { return refusal }
            state.held[quota.rawValue] += count
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Says whether a connection that follows `own` channels may follow more.
    ///
    /// No tenant has more than is still free for the others (dynamic thresholds, Choudhury and
    /// Hahne, 1998), and no connection more than a part of what its tenant may still get: so there
    /// is always some for who comes.
    func check(subscriptions count: Int, besides own: Int) throws(QuotaRefusal) {
        let free = pool.free
        let refusal = state.withLock { state -> QuotaRefusal? in
            if let refusal = Self.refusal(of: .subscriptions, count, &state) { return refusal }
            let rest =
                min(
                    state.quotas.subscriptions - state.share.subscriptions, free)
                - state.held[Quota.subscriptions.rawValue]
            let max = Swift.max(
                Limits.subscriptionsOfSmallConnection, rest / Limits.subscriptionsConnectionShare)
            guard count > rest || own + count > max else { return nil }
            state.refused[Quota.subscriptions.rawValue] += 1
            return count > rest ? .exhausted : .share(max: max)
        }
        if let refusal { throw refusal }
    }

    /// How many one connection may follow, as long as no other of the tenant follows any.
    var subscriptionsOfFirstConnection: Int {
        let (max, capacity) = (state.withLock { $0.quotas.subscriptions }, pool.capacity)
        // What it has counts against what is left, and against what is free as well.
        let share = Limits.subscriptionsConnectionShare
        let part = min(max / (share + 1), capacity / (share + 2))
        return min(Swift.max(part, Limits.subscriptionsOfSmallConnection), max, capacity / 2)
    }

    /// Notes that the tenant was refused more of what is counted elsewhere.
    func refuse(_ quota: Quota) -> QuotaRefusal {
        state.withLock { state in
            state.refused[quota.rawValue] += 1
            return .exceeded(quota, max: state.quotas[quota])
        }
    }

    /// Whether the tenant's clients may have so many commands carried out now.
    func admits(commands cost: Int, at milliseconds: UInt64) -> Bool {
        guard hasRate.load(ordering: .relaxed) else { return true }
        return state.withLock { state in
            state.asked &+= UInt64(cost)
            if state.bucket.take(cost, at: milliseconds) { return true }
            state.refusedCommands += 1
            return false
        }
    }

    /// What its clients have of this daemon.
    var use: TenantUse {
        state.withLock { state in
            TenantUse(
                subscribeKey: subscribeKey, connections: state.held[Quota.connections.rawValue],
                subscriptions: state.held[Quota.subscriptions.rawValue], asked: state.asked)
        }
    }

    /// Takes what this daemon may give, beside others.
    func take(_ share: TenantShare) {
        state.withLock { state in
            let isOtherPart = state.share.part != share.part
            state.share = share
            if isOtherPart { state.setRate() }
        }
    }

    /// What its clients may ask, where that has a bound.
    var commandsPerSecond: Int? {
        state.withLock { $0.quotas.hasRate ? $0.quotas.commandsPerSecond : nil }
    }

    /// How much the tenant has.
    func held(_ quota: Quota) -> Int { state.withLock { $0.held[quota.rawValue] } }

    /// Whether the tenant has no connection, and never wrote anything: after a restart nobody has a
    /// connection.
    var isNew: Bool { held(.connections) == 0 && held(.channels) == 0 }

    /// One line of what operators read.
    struct Figures: Sendable {
        let held: Int
        let max: Int
        let refused: Int
    }

    func figures(_ quota: Quota) -> Figures {
        state.withLock {
            Figures(
                held: $0.held[quota.rawValue], max: $0.quotas[quota],
                refused: $0.refused[quota.rawValue])
        }
    }

    /// Commands and requests that were refused for the tenant's rate.
    var refusedCommands: Int { state.withLock { $0.refusedCommands } }

    private static func refusal(
        of quota: Quota, _ count: Int, _ state: inout State
    ) -> QuotaRefusal? {
        let max = state.quotas[quota]
        // What is kept is what a file says, which may be damaged.
        guard state.total(quota).addingClamped(count) > max else { return nil }
        state.refused[quota.rawValue] += 1
        return .exceeded(quota, max: max)
    }
}
