// How much dear work a turn does, and a second, and who is next with the rest.

import Basis
import EventModel

/// Dear things that connections ask for, of which a turn does a few: the rest waits, and whoever
/// used least is next.
///
/// Without it, everybody's turn would be as long as what the greediest clients send at once, and
/// there would be no pause between two. What is cheap passes, unless something of the same
/// connection waits: each connection's order is kept.
struct Turnstile<Work> {
    private struct Client {
        var waiting = Queue<(work: Work, cost: Int)>()
        /// Of what waits.
        var cost = 0
    }

    private let costPerTurnMax: Int
    private let costPerMillisecond: Int
    private let cheapMax: Int
    private let waitingPerClientMax: Int
    private let waitingMax: Int
    private var clients: [SessionID: Client] = [:]
    private var turns = FairTurns<SessionID>()
    /// What may be done now; less than none after something that costs more than a turn may do.
    private var credit: Int
    /// Milliseconds; when that was counted.
    private var now: UInt64 = 0
    /// Of all that waits.
    private(set) var waitingCost = 0
    /// Whose turn it is.
    private var peekedClient: SessionID?

    init(
        costPerTurnMax: Int = Limits.dearNamesPerTurnMax,
        costPerMillisecond: Int = Limits.dearNamesPerMillisecond,
        cheapMax: Int = Limits.cheapNamesMax,
        waitingPerClientMax: Int = Limits.namesWaitingPerConnectionMax,
        waitingMax: Int = Limits.namesWaitingMax
    ) {
        self.costPerTurnMax = costPerTurnMax
        self.costPerMillisecond = costPerMillisecond
        credit = costPerTurnMax
        self.cheapMax = cheapMax
        self.waitingPerClientMax = waitingPerClientMax
        self.waitingMax = waitingMax
    }

    /// Whether something waits.
    var isEmpty: Bool { clients.isEmpty }

    /// When the next of what waits may be done, in milliseconds; `nil` when nothing waits.
    var nextDue: UInt64? {
        guard let client = peekedClient, let cost = clients[client]?.waiting.first?.cost else {
            return clients.isEmpty ? nil : now
        }
        let missing = max(0, min(cost, costPerTurnMax) - credit)
        return now + UInt64((missing + costPerMillisecond - 1) / costPerMillisecond)
    }

    mutating func beginTurn(at milliseconds: UInt64) {
        let passed = Int(min(milliseconds - min(milliseconds, now), 1000))
        now = max(now, milliseconds)
        credit = min(costPerTurnMax, credit + passed * costPerMillisecond)
    }

    /// Whether work may be done at once; else it is to be put in with ``wait(_:cost:of:)``.
    mutating func admits(cost: Int, of client: SessionID) -> Bool {
        guard clients[client] == nil else { return false }
        guard cost > cheapMax else { return true }
        guard isEmpty, hasRoom(for: cost) else { return false }
        credit -= cost
        return true
    }

    /// Has work wait for its turn.
    ///
    /// - Returns: `false` when too much waits already: then it was not taken.
    mutating func wait(_ work: Work, cost: Int, of client: SessionID) -> Bool {
        let cost = max(1, cost)
        var entry = clients[client] ?? Client()
        guard entry.waiting.isEmpty || entry.cost + cost <= waitingPerClientMax,
            waitingCost + cost <= waitingMax
        else { return false }
        entry.waiting.append((work, cost))
        entry.cost += cost
        waitingCost += cost
        clients[client] = entry
        turns.enter(client)
        return true
    }

    /// What is next; `nil` when nothing waits, or this turn did enough.
    ///
    /// - Complexity: O(log clients), amortised.
    mutating func next() -> (client: SessionID, work: Work)? {
        peekedClient = turns.next()
        guard let client = peekedClient, var entry = clients[client],
            let first = entry.waiting.first, hasRoom(for: first.cost)
        else { return nil }
        _ = entry.waiting.popFirst()
        entry.cost -= first.cost
        waitingCost -= first.cost
        credit -= first.cost
        turns.charge(client, first.cost)
        if entry.waiting.isEmpty {
            clients[client] = nil
            turns.rest(client)
        } else {
            clients[client] = entry
        }
        return (client, first.work)
    }

    /// Forgets what waits of a connection that is gone.
    mutating func forget(_ client: SessionID) {
        guard let entry = clients.removeValue(forKey: client) else { return }
        waitingCost -= entry.cost
        turns.rest(client)
    }

    /// What costs more than a turn may do is to be had for a whole one, and paid off afterwards.
    private func hasRoom(for cost: Int) -> Bool { credit >= min(cost, costPerTurnMax) }

    func checkInvariants() {
        precondition(
            waitingCost == clients.values.reduce(0) { $0 + $1.cost }, "What waits is counted.")
        precondition(turns.waitingCount == clients.count, "Who waits has turns.")
        precondition(
            clients.values.allSatisfy { !$0.waiting.isEmpty }, "Who is listed waits for something.")
    }
}
