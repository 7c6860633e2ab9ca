// What all daemons of a cluster give a tenant together is no more than one may give.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("What tenants have of a cluster")
struct ClusterUseTests {
    private static func use(connections: Int) -> TenantUse {
        var use = TenantUse(subscribeKey: "k")
        use.connections = connections
        return use
    }

    private static func share(connections: Int) -> TenantShare {
        var share = TenantShare(subscribeKey: "k")
        share.connections = connections
        return share
    }

    @Test("each daemon hears what the others have, once")
    func adds() {
        var uses = ClusterUse()
        for number in 1...3 { uses.add(number) }
        uses.hear([Self.use(connections: 2), TenantUse(subscribeKey: "other")], of: 1)
        uses.hear([Self.use(connections: 3)], of: 2)
        #expect(
            uses.endPeriod([:]) == [
                1: [Self.share(connections: 3)], 2: [Self.share(connections: 2)],
                3: [Self.share(connections: 5)],
            ])
        #expect(uses.endPeriod([:]) == [:])
        uses.forget(1)
        // Late news of one that has gone.
        uses.hear([Self.use(connections: 9)], of: 1)
        #expect(
            uses.endPeriod([:]) == [
                2: [Self.share(connections: 0)], 3: [Self.share(connections: 3)],
            ])
        uses.add(1)
        #expect(uses.endPeriod([:]) == [1: [Self.share(connections: 3)]])
    }

    @Test("nothing is left of who has gone, also where nobody else has any")
    func forgetsTheOnlyOne() {
        var uses = ClusterUse()
        for number in 1...3 { uses.add(number) }
        uses.hear([Self.use(connections: 6)], of: 1)
        #expect(
            uses.endPeriod([:]) == [
                2: [Self.share(connections: 6)], 3: [Self.share(connections: 6)],
            ])
        uses.forget(1)
        #expect(
            uses.endPeriod([:]) == [
                2: [Self.share(connections: 0)], 3: [Self.share(connections: 0)],
            ])
        #expect(uses.endPeriod([:]) == [:])
    }

    /// Accounts of several daemons that tell each other what they have every half second.
    private final class Daemons {
        let accounts: [Accounts]
        let keyset: Keyset
        private var known: [[ExactText: TenantUse]]
        private var uses = ClusterUse()

        init(_ count: Int, _ quotas: Quotas) {
            var keyset = Keyset(subscribeKey: "k")
            keyset.quotas = quotas
            self.keyset = keyset
            accounts = (0..<count).map { _ in Accounts() }
            known = Array(repeating: [:], count: count)
            for number in 0..<count {
                uses.add(number)
                _ = account(number)
            }
        }

        func account(_ number: Int) -> Account { accounts[number].account(of: keyset) }

        func tell() {
            for number in accounts.indices {
                uses.hear(accounts[number].uses(besides: &known[number]), of: number)
            }
            let rates = accounts[0].rates(perMilliseconds: Limits.clusterUseMilliseconds)
            for (number, shares) in uses.endPeriod(rates) { accounts[number].take(shares) }
        }
    }

    @Test("connections are counted over all daemons")
    func connections() throws {
        var quotas = Quotas()
        quotas.connections = 3
        let daemons = Daemons(2, quotas)
        try daemons.account(0).take(.connections, 2)
        daemons.tell()
        try daemons.account(1).take(.connections)
        #expect(throws: QuotaRefusal.exceeded(.connections, max: 3)) {
            try daemons.account(1).take(.connections)
        }
        daemons.account(0).add(.connections, -1)
        daemons.tell()
        try daemons.account(1).take(.connections)
    }

    @Test("subscriptions are counted over all daemons, for shares of connections, too")
    func subscriptions() throws {
        var quotas = Quotas()
        quotas.subscriptions = 1000
        let daemons = Daemons(2, quotas)
        daemons.account(0).add(.subscriptions, 990)
        daemons.tell()
        try daemons.account(1).check(subscriptions: 10, besides: 0)
        #expect(throws: QuotaRefusal.self) {
            try daemons.account(1).check(subscriptions: 11, besides: 0)
        }
    }

    @Test(
        "a rate is that of all daemons, however unlike what is asked of them",
        arguments: [[300, 300, 300], [900, 10, 0], [0, 0, 900]])
    func rate(askedPerSecond: [Int]) {
        var quotas = Quotas()
        quotas.commandsPerSecond = 100
        let daemons = Daemons(askedPerSecond.count, quotas)
        var admitted = [Int](repeating: 0, count: askedPerSecond.count)
        let seconds = 60
        for tick in 0..<(seconds * 100) {
            let now = UInt64(tick * 10)
            for (number, asked) in askedPerSecond.enumerated() {
                // Whole ones that are due in these 10 ms.
                let due = asked * (tick + 1) / 100 - asked * tick / 100
                for _ in 0..<due where daemons.account(number).admits(commands: 1, at: now) {
                    admitted[number] += 1
                }
            }
            if tick % 50 == 49 { daemons.tell() }
        }
        // Beside the bursts of the beginning it is one daemon's rate.
        let all = admitted.reduce(0, +)
        #expect(all <= 100 * (seconds + askedPerSecond.count + 1))
        // Some is kept for where little is asked.
        #expect(all >= 100 * seconds * 90 / 100)
        // Who asks for little is not kept from it by who asks for much.
        if askedPerSecond[1] == 10 { #expect(admitted[1] >= 10 * (seconds - 2)) }
    }
}
