// Which question a reader takes next, so that no few of them stop all others.
//
// Pure: what a step took is told, and no clock is read.

import Basis
import EventModel

/// A kind of question.
enum ReaderLane: Int, Sendable, CaseIterable {
    /// What followers need to go on: pages, states, what a poll of a few channels missed.
    case catchUp
    /// Pages of messages and actions, and counts.
    case history
    /// What a poll of many channels missed.
    case backlog
    case repair

    /// Whether one question may read a million rows.
    var isDear: Bool { self == .backlog || self == .repair }

    /// Its share of a reader's time while all wait.
    fileprivate var weight: Int { isDear ? 1 : 4 }
}

/// Whose question it is, and of which kind.
struct ReaderTicket: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case session(SessionID, reactor: Int)
        /// All who need pages of a channel.
        case pages(of: Channel)
        /// All who wait for channels' states.
        case states(reactor: Int)
    }

    var lane: ReaderLane
    var tenant: ExactText
    var source: Source
}

/// The questions that wait: in lanes, there by tenant, and there by session; each has its turns.
///
/// Whose turn it is depends on the time that was used, measured step by step. Of several threads
/// one is always left for what is not dear.
struct ReaderLanes<Item: Sendable>: Sendable {
    /// Questions without an answer yet; see `Limits` for what happens at each.
    struct Bounds: Sendable {
        var all = Limits.readerQueueMax
        var perTenant = Limits.readerQueuePerTenantMax
        var perSession = Limits.readerQueuePerSessionMax
    }

    private struct Tenant {
        var turns = FairTurns<ReaderTicket.Source>()
        var queues: [ReaderTicket.Source: Queue<Item>] = [:]
    }

    private struct Waiting {
        var turns = FairTurns<ExactText>()
        var tenants: [ExactText: Tenant] = [:]
        var used = 0

        /// - Precondition: Something waits.
        mutating func take(_ kind: ReaderLane) -> (item: Item, ticket: ReaderTicket) {
            guard let tenant = turns.next(), let source = tenants[tenant]?.turns.next(),
                let item = tenants[tenant]?.queues[source]?.popFirst()
            else { preconditionFailure("Who has a turn has a question.") }
            if tenants[tenant]?.queues[source]?.isEmpty == true {
                tenants[tenant]?.queues[source] = nil
                tenants[tenant]?.turns.rest(source)
            }
            if tenants[tenant]?.queues.isEmpty == true {
                tenants[tenant] = nil
                turns.rest(tenant)
            }
            return (item, ReaderTicket(lane: kind, tenant: tenant, source: source))
        }
    }

    private let bounds: Bounds
    /// Threads that may have something dear at a time.
    private let dearMax: Int
    private var lanes: [Waiting]
    private var level = 0
    private var dearCount = 0
    private var openOfTenant: [ExactText: Int] = [:]
    private var openOfSource: [ReaderTicket.Source: Int] = [:]
    /// Questions without an answer yet.
    private(set) var openCount = 0

    /// What a step is taken to need before it is known, in microseconds.
    private static var guess: Int { 1000 }

    init(threads: Int, bounds: Bounds = Bounds()) {
        precondition(threads > 0)
        self.bounds = bounds
        dearMax = max(1, threads - 1)
        lanes = ReaderLane.allCases.map { _ in Waiting() }
    }

    /// Takes a question.
    ///
    /// - Returns: `false` when too many of all, of the tenant or of the session have no answer yet.
    mutating func put(_ item: Item, _ ticket: ReaderTicket) -> Bool {
        let ofSource = openOfSource[ticket.source, default: 0]
        let ofTenant = openOfTenant[ticket.tenant, default: 0]
        guard openCount < bounds.all, ofTenant < bounds.perTenant else { return false }
        if case .session = ticket.source, ofSource >= bounds.perSession { return false }
        openCount += 1
        openOfTenant[ticket.tenant] = ofTenant + 1
        openOfSource[ticket.source] = ofSource + 1
        enqueue(ticket) { $0.append(item) }
        return true
    }

    /// Takes a question back whose next step may be done: it is the first of its session.
    mutating func putBack(_ item: Item, _ ticket: ReaderTicket) {
        enqueue(ticket) { $0.prepend(item) }
    }

    /// The question whose turn it is; `nil` when no thread may have one now.
    ///
    /// Follow it with ``step(_:took:)``.
    mutating func take() -> (item: Item, ticket: ReaderTicket)? {
        let kinds = ReaderLane.allCases.filter {
            lanes[$0.rawValue].turns.waitingCount > 0 && (!$0.isDear || dearCount < dearMax)
        }
        guard let kind = kinds.min(by: { lanes[$0.rawValue].used < lanes[$1.rawValue].used })
        else { return nil }
        level = max(level, lanes[kind.rawValue].used)
        let (item, ticket) = lanes[kind.rawValue].take(kind)
        if kind.isDear { dearCount += 1 }
        charge(ticket, Self.guess)
        return (item, ticket)
    }

    /// Hears how long a step of a question took, in microseconds.
    ///
    /// - Returns: Whether another thread may have something dear now that could not before.
    mutating func step(_ ticket: ReaderTicket, took microseconds: Int) -> Bool {
        charge(ticket, microseconds - Self.guess)
        guard ticket.lane.isDear else { return false }
        dearCount -= 1
        return dearCount == dearMax - 1
            && lanes.indices.contains { index in
                ReaderLane.allCases[index].isDear && lanes[index].turns.waitingCount > 0
            }
    }

    /// Hears that a question was answered.
    mutating func close(_ ticket: ReaderTicket) {
        openCount -= 1
        openOfTenant[ticket.tenant] = openOfTenant[ticket.tenant].flatMap { $0 > 1 ? $0 - 1 : nil }
        openOfSource[ticket.source] = openOfSource[ticket.source].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private mutating func enqueue(_ ticket: ReaderTicket, _ add: (inout Queue<Item>) -> Void) {
        let index = ticket.lane.rawValue
        // Who was away has no credit.
        if lanes[index].turns.waitingCount == 0 {
            lanes[index].used = max(lanes[index].used, level)
        }
        lanes[index].turns.enter(ticket.tenant)
        lanes[index].tenants[ticket.tenant, default: Tenant()].turns.enter(ticket.source)
        add(
            &lanes[index].tenants[ticket.tenant, default: Tenant()]
                .queues[ticket.source, default: Queue()])
    }

    private mutating func charge(_ ticket: ReaderTicket, _ microseconds: Int) {
        let index = ticket.lane.rawValue
        lanes[index].used += microseconds / ticket.lane.weight
        lanes[index].turns.charge(ticket.tenant, microseconds)
        lanes[index].tenants[ticket.tenant]?.turns.charge(ticket.source, microseconds)
    }
}
