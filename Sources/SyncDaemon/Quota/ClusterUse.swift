// What tenants have of all daemons of a cluster together, as the one that orders adds it up.

import EventModel

/// What one tenant has of one daemon, of all that each daemon counts for itself.
struct TenantUse: Hashable, Sendable {
    let subscribeKey: String
    var connections = 0
    var subscriptions = 0
    /// What commands have cost since the beginning, carried out or refused for its rate.
    var asked: UInt64 = 0
}

/// What one daemon may give a tenant, beside the others.
struct TenantShare: Hashable, Sendable {
    /// Stands for the whole rate.
    static let whole: UInt64 = 1 << 16

    let subscribeKey: String
    /// What the tenant has of the others.
    var connections = 0
    var subscriptions = 0
    /// Which part of the tenant's rate is this daemon's.
    var part = TenantShare.whole
}

/// Adds up what daemons say, and knows what each of them was told.
struct ClusterUse {
    private struct Daemon {
        /// Its own.
        var uses: [ExactText: TenantUse] = [:]
        /// What was asked of it before this period and the one before.
        var askedBefore: [ExactText: (last: UInt64, earlier: UInt64)] = [:]
        /// What it was told.
        var told: [ExactText: TenantShare] = [:]
    }

    private var daemons: [Int: Daemon] = [:]

    /// A daemon that gives tenants something from now on.
    mutating func add(_ number: Int) { daemons[number] = Daemon() }

    /// Takes what a daemon has of these tenants from now on.
    mutating func hear(_ uses: [TenantUse], of number: Int) {
        for use in uses { daemons[number]?.uses[ExactText(use.subscribeKey)] = use }
    }

    /// A daemon has gone, and all that it had.
    mutating func forget(_ number: Int) { daemons[number] = nil }

    /// Ends a period.
    ///
    /// - Parameter rates: What tenants may ask in a period, of those who have a bound.
    /// - Returns: What each daemon may give from now on, where that has changed.
    /// - Complexity: O(daemons · (log daemons + tenants)).
    mutating func endPeriod(_ rates: [ExactText: Double]) -> [Int: [TenantShare]] {
        // Also what somebody was told of: who had it may be gone, and nobody else has any.
        let keys = Set(daemons.values.lazy.flatMap { Array($0.uses.keys) + Array($0.told.keys) })
            .union(rates.keys)
        var news: [Int: [TenantShare]] = [:]
        for key in keys {
            let all = daemons.values.lazy.compactMap { $0.uses[key] }
            let connections = all.reduce(0) { $0 + $1.connections }
            let subscriptions = all.reduce(0) { $0 + $1.subscriptions }
            let divided: [Int: UInt64]
            if let rate = rates[key] { divided = parts(of: rate, key) } else { divided = [:] }
            for number in daemons.keys {
                let own = daemons[number]?.uses[key]
                let share = TenantShare(
                    subscribeKey: key.string, connections: connections - (own?.connections ?? 0),
                    subscriptions: subscriptions - (own?.subscriptions ?? 0),
                    part: divided[number] ?? TenantShare.whole)
                let known = daemons[number]?.told[key] ?? TenantShare(subscribeKey: key.string)
                guard share != known else { continue }
                daemons[number]?.told[key] = share
                news[number, default: []].append(share)
            }
        }
        return news
    }

    /// Parts of a rate, which come to no more than the whole.
    ///
    /// Max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2): where little is asked all
    /// of it is given and some more, and the rest goes in equal parts to where much is.
    private mutating func parts(of rate: Double, _ key: ExactText) -> [Int: UInt64] {
        let count = Double(daemons.count)
        let least = rate / (Double(Limits.clusterRateReserve) * count)
        var wanted: [(number: Int, cost: Double)] = []
        for (number, daemon) in daemons {
            let asked = daemon.uses[key]?.asked ?? 0
            let (last, earlier) = daemon.askedBefore[key] ?? (asked, asked)
            daemons[number]?.askedBefore[key] = (asked, last)
            // They say it at other times than this is asked.
            let most = max(asked &- last, last &- earlier)
            wanted.append((number, Double(most) * 1.5 + least))
        }
        wanted.sort { ($0.cost, $0.number) < ($1.cost, $1.number) }
        var given: [Int: Double] = [:]
        var rest = rate
        for (index, daemon) in wanted.enumerated() {
            let part = min(daemon.cost, rest / Double(wanted.count - index))
            given[daemon.number] = part
            rest -= part
        }
        return given.mapValues { UInt64(($0 + rest / count) / rate * Double(TenantShare.whole)) }
    }
}

extension Accounts {
    /// What this daemon's clients have, where that is another than `known`, which it becomes.
    func uses(besides known: inout [ExactText: TenantUse]) -> [TenantUse] {
        all.compactMap { account in
            let use = account.use
            let key = ExactText(use.subscribeKey)
            let old = known[key] ?? TenantUse(subscribeKey: use.subscribeKey)
            guard use != old else { return nil }
            known[key] = use
            return use
        }
    }

    /// What tenants may ask in a period, of those who have a bound.
    func rates(perMilliseconds period: UInt64) -> [ExactText: Double] {
        var rates: [ExactText: Double] = [:]
        for account in all {
            guard let rate = account.commandsPerSecond else { continue }
            rates[ExactText(account.subscribeKey)] = Double(rate) * Double(period) / 1000
        }
        return rates
    }

    /// Takes what this daemon may give of each, beside the others.
    func take(_ shares: [TenantShare]) {
        for share in shares { account(of: share.subscribeKey).take(share) }
    }
}
