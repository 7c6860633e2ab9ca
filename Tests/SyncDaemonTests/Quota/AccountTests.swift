// What tenants have and may have: exact sums, shares, rates.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Accounts")
struct AccountTests {
    private static func keyset(_ key: String, _ change: (inout Quotas) -> Void = { _ in }) -> Keyset
    {
        var keyset = Keyset(subscribeKey: key)
        change(&keyset.quotas)
        return keyset
    }

    private static func refusal(_ body: () throws(QuotaRefusal) -> Void) -> QuotaRefusal? {
        do throws(QuotaRefusal) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("what is on its way counts beside what is stored, and no longer when it is over")
    func reserved() {
        let account = Accounts().account(of: Self.keyset("one") { $0.storedBytes = 100 })
        account.set(.storedBytes, 40)

        #expect(
            Self.refusal { () throws(QuotaRefusal) in try account.reserve(storedBytes: 50) } == nil)
        let refusal = Self.refusal { () throws(QuotaRefusal) in
            try account.reserve(storedBytes: 11)
        }
        #expect(refusal == .exceeded(.storedBytes, max: 100))
        #expect(account.figures(.storedBytes).held == 40)
        account.release(reserved: 50)
        #expect(
            Self.refusal { () throws(QuotaRefusal) in try account.reserve(storedBytes: 60) } == nil)
    }

    @Test("a tenant has what it was given, and another one's does not matter")
    func quota() {
        let accounts = Accounts()
        let one = accounts.account(of: Self.keyset("one") { $0.connections = 2 })
        let other = accounts.account(of: Self.keyset("other") { $0.connections = 1 })

        #expect(Self.refusal { () throws(QuotaRefusal) in try one.take(.connections) } == nil)
        #expect(Self.refusal { () throws(QuotaRefusal) in try one.take(.connections) } == nil)
        let refusal = Self.refusal { () throws(QuotaRefusal) in try one.take(.connections) }
        #expect(refusal == .exceeded(.connections, max: 2))
        #expect(Self.refusal { () throws(QuotaRefusal) in try other.take(.connections) } == nil)
        #expect(one.figures(.connections).held == 2)
        #expect(one.figures(.connections).refused == 1)
        one.add(.connections, -1)
        #expect(Self.refusal { () throws(QuotaRefusal) in try one.take(.connections) } == nil)
        #expect(accounts.account(of: Keyset(subscribeKey: "one")) === one)
        #expect(accounts.all.map(\.subscribeKey) == ["one", "other"])
    }

    @Test("what is counted elsewhere is refused in the same words, and counted")
    func refusedElsewhere() {
        let account = Accounts().account(of: Self.keyset("one") { $0.memberships = 7 })
        #expect(account.refuse(.memberships) == .exceeded(.memberships, max: 7))
        #expect(account.figures(.memberships).refused == 1)
    }

    @Test("less than a tenant has takes nothing away, and gives no more")
    func lessThanHeld() {
        let accounts = Accounts()
        let keyset = Self.keyset("one") { $0.groups = 5 }
        let account = accounts.account(of: keyset)
        account.add(.groups, 5)

        accounts.apply(Keysets([Self.keyset("one") { $0.groups = 3 }]))

        #expect(account.held(.groups) == 5)
        let refusal = Self.refusal { () throws(QuotaRefusal) in try account.take(.groups) }
        #expect(refusal == .exceeded(.groups, max: 3))
    }

    @Test("subscriptions: no tenant has more than is free, and no connection a large part")
    func shares() {
        let accounts = Accounts(subscriptionsMax: 400_000)
        let account = accounts.account(of: Self.keyset("greedy"))
        var perConnection: [Int] = []
        for _ in 0..<400 {
            var own = 0
            while Self.refusal({ () throws(QuotaRefusal) in
                try account.check(subscriptions: 500, besides: own)
            }) == nil, own < 10_000 {
                account.add(.subscriptions, 500)
                own += 500
            }
            perConnection.append(own)
        }
        let held = account.held(.subscriptions)

        // Half is left for others; the first connection had a 64th of what there was.
        #expect(held <= 200_000 && held > 190_000)
        #expect(perConnection[0] <= 400_000 / Limits.subscriptionsConnectionShare)
        let other = accounts.account(of: Self.keyset("modest"))
        let refusal = Self.refusal { () throws(QuotaRefusal) in
            try other.check(subscriptions: 1000, besides: 0)
        }
        #expect(refusal == nil)
        #expect(account.figures(.subscriptions).refused > 0)
    }

    @Test(
        "a connection follows what it was promised, and then hears its share",
        arguments: [(2000, 1000), (500_000, 7692), (2_000_000, 30_303), (30, 30)])
    func promise(quota: Int, promised: Int) {
        let accounts = Accounts(subscriptionsMax: 2_000_000)
        let account = accounts.account(of: Self.keyset("one") { $0.subscriptions = quota })
        #expect(account.subscriptionsOfFirstConnection == promised)
        for own in 0..<promised {
            let refusal = Self.refusal { () throws(QuotaRefusal) in
                try account.check(subscriptions: 1, besides: own)
            }
            guard refusal == nil else {
                Issue.record("\(own): \(String(describing: refusal))")
                return
            }
            account.add(.subscriptions, 1)
        }
        let refusal = Self.refusal { () throws(QuotaRefusal) in
            try account.check(subscriptions: min(quota, 1000), besides: promised)
        }
        let max = Swift.max(1000, (quota - promised) / 64)
        switch quota {
        case 30: #expect(refusal == .exceeded(.subscriptions, max: 30))
        case 2_000_000: #expect(refusal == .share(max: (2_000_000 - 2 * promised) / 64))
        default: #expect(refusal == .share(max: max))
        }
    }

    @Test("no tenant fills the memory that the process may have with subscriptions")
    func sharesOfMemory() {
        let pressure = MemoryPressure(max: 100_000 * Limits.subscriptionMemoryBytes)
        let accounts = Accounts(pressure: pressure)
        let account = accounts.account(of: Self.keyset("greedy"))
        func takeAll() -> Int {
            var taken = 0
            while Self.refusal({ () throws(QuotaRefusal) in
                try account.check(subscriptions: 1000, besides: 0)
            }) == nil {
                account.add(.subscriptions, 1000)
                taken += 1000
            }
            return taken
        }
        #expect(takeAll() == 50_000)
        // An administrator gives more: in force at once.
        pressure.setMax(200_000 * Limits.subscriptionMemoryBytes)
        #expect(takeAll() == 50_000)
    }

    @Test("what is taken and given back sums up, from many threads", arguments: UInt64(1)...4)
    func sums(seed: UInt64) async {
        let accounts = Accounts(subscriptionsMax: 1000)
        let account = accounts.account(of: Self.keyset("one") { $0.connections = 50 })
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed * 10 + UInt64(task))
                    var held = 0
                    for _ in 0..<5000 {
                        if generator.below(2) == 0, held > 0 {
                            account.add(.connections, -1)
                            held -= 1
                        } else if (try? account.take(.connections)) != nil {
                            held += 1
                        }
                    }
                    return held
                }
            }
            var held = 0
            for await count in group { held += count }
            #expect(account.held(.connections) == held)
            #expect(held <= 50)
        }
    }

    @Test("a tenant's rate is one for all its clients, and nobody else's")
    func rate() {
        let accounts = Accounts()
        let slow = accounts.account(of: Self.keyset("slow") { $0.commandsPerSecond = 10 })
        let free = accounts.account(of: Self.keyset("free"))

        let first = (0..<100).count { _ in slow.admits(commands: 1, at: 5000) }
        #expect(first == 10)
        #expect((0..<100).count { _ in free.admits(commands: 1000, at: 5000) } == 100)
        #expect((0..<100).count { _ in slow.admits(commands: 1, at: 5500) } == 5)
        #expect(slow.refusedCommands == 185)
        #expect(free.refusedCommands == 0)
    }
}
