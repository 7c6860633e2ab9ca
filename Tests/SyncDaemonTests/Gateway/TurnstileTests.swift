// What is dear takes turns, in each connection's own order, and no turn does too much of it.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Turnstile")
struct TurnstileTests {
    private static func connection(_ slot: Int) -> SessionID {
        SessionID(slot: UInt32(slot), generation: 1)
    }

    /// A reference, as expectations do not change values.
    private final class Bench {
        var turnstile: Turnstile<Int>
        private var now: UInt64 = 0

        init(_ perClient: Int, _ all: Int) {
            turnstile = Turnstile(
                costPerTurnMax: 100, costPerMillisecond: 10, cheapMax: 4,
                waitingPerClientMax: perClient, waitingMax: all)
        }

        /// One in which a whole turn's worth has come together again.
        func beginTurn() {
            now += 1000
            turnstile.beginTurn(at: now)
        }
        func next() -> (client: SessionID, work: Int)? { turnstile.next() }
        func forget(_ client: SessionID) { turnstile.forget(client) }
        func admits(cost: Int, of client: SessionID) -> Bool {
            turnstile.admits(cost: cost, of: client)
        }
        func wait(_ work: Int, cost: Int, of client: SessionID) -> Bool {
            turnstile.wait(work, cost: cost, of: client)
        }
    }

    private static func turnstile(perClient: Int = 1000, all: Int = 3000) -> Bench {
        Bench(perClient, all)
    }

    @Test("what is cheap passes, and the first dear thing whatever it costs")
    func passes() {
        let turnstile = Self.turnstile()
        turnstile.beginTurn()

        #expect(turnstile.admits(cost: 5000, of: Self.connection(1)))
        #expect(turnstile.admits(cost: 4, of: Self.connection(2)))
        #expect(!turnstile.admits(cost: 5, of: Self.connection(2)))

        turnstile.beginTurn()
        #expect(turnstile.admits(cost: 60, of: Self.connection(2)))
        #expect(turnstile.admits(cost: 40, of: Self.connection(2)))
        #expect(!turnstile.admits(cost: 40, of: Self.connection(3)))
    }

    @Test("what costs more than a turn is paid off before anything else is done")
    func debt() {
        var turnstile = Turnstile<Int>(costPerTurnMax: 100, costPerMillisecond: 10, cheapMax: 4)
        turnstile.beginTurn(at: 1000)
        let isFirstDone = turnstile.admits(cost: 300, of: Self.connection(1))
        let isTaken = turnstile.wait(7, cost: 50, of: Self.connection(2))
        #expect(isFirstDone && isTaken)
        var next = turnstile.next()
        #expect(next == nil)
        // 200 are owed, and 50 to be had.
        #expect(turnstile.nextDue == 1025)
        turnstile.beginTurn(at: 1024)
        next = turnstile.next()
        #expect(next == nil)
        turnstile.beginTurn(at: 1025)
        next = turnstile.next()
        #expect(next?.work == 7)
        #expect(turnstile.nextDue == nil)
    }

    @Test("who asked for little is not behind who asked for much")
    func fair() {
        let turnstile = Self.turnstile()
        for number in 0..<10 {
            #expect(turnstile.wait(number, cost: 90, of: Self.connection(1)))
        }
        turnstile.beginTurn()
        #expect(turnstile.next()?.work == 0)
        #expect(turnstile.next() == nil)
        #expect(turnstile.wait(100, cost: 20, of: Self.connection(2)))

        // Whose turn it was before keeps it; then who came has used less.
        var order: [Int] = []
        for _ in 0..<2 {
            turnstile.beginTurn()
            while let (_, work) = turnstile.next() { order.append(work) }
        }
        #expect(order == [1, 100])
    }

    @Test("too much is not taken, neither of one connection nor of all")
    func bounded() {
        let turnstile = Self.turnstile()
        for _ in 0..<10 {
            let isTaken = turnstile.wait(0, cost: 100, of: Self.connection(1))
            #expect(isTaken)
        }
        #expect(!turnstile.wait(0, cost: 1, of: Self.connection(1)))
        #expect(turnstile.wait(0, cost: 2000, of: Self.connection(2)))
        #expect(!turnstile.wait(0, cost: 1, of: Self.connection(3)))
        turnstile.forget(Self.connection(2))
        #expect(turnstile.wait(0, cost: 1, of: Self.connection(3)))
        turnstile.turnstile.checkInvariants()
    }

    @Test("each connection's order is kept, and all is done", arguments: UInt64(1)...20)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let turnstile = Self.turnstile(perClient: 500)
        var asked: [SessionID: [Int]] = [:]
        var done: [SessionID: [Int]] = [:]
        for number in 0..<2000 {
            let connection = Self.connection(generator.below(6))
            switch generator.below(12) {
            case 0:
                turnstile.forget(connection)
                // What waited is gone: neither asked nor done.
                asked[connection] = done[connection]
            case 1...4:
                turnstile.beginTurn()
                var cost = 0
                while let (client, work) = turnstile.next() {
                    done[client, default: []].append(work)
                    cost += work % 150
                }
                // One alone may cost more.
                #expect(cost <= 100 || done.values.contains { ($0.last ?? 0) % 150 == cost })
            default:
                let cost = number % 150
                if turnstile.admits(cost: cost, of: connection) {
                    asked[connection, default: []].append(number)
                    done[connection, default: []].append(number)
                } else if turnstile.wait(number, cost: cost, of: connection) {
                    asked[connection, default: []].append(number)
                }
            }
            turnstile.turnstile.checkInvariants()
        }
        while !turnstile.turnstile.isEmpty {
            turnstile.beginTurn()
            while let (client, work) = turnstile.next() {
                done[client, default: []].append(work)
            }
        }
        #expect(done == asked)
        #expect(turnstile.turnstile.waitingCost == 0)
    }
}
