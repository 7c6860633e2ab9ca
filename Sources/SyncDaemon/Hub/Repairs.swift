// What devices sent whose actions cannot be brought up to date by what changed: they are held until
// they are repaired.

import Basis
import EventModel

/// What a device sent for one level of the repair of one channel: symbols from index 0 on.
///
/// A class, so that the many subscriptions that need none have no room for it.
final class Repair {
    let level: RepairLevel
    let itemCount: Int64
    /// Which of its segments differ, where their rows are compared.
    let difference: SegmentDifference?
    /// What the device wants of that.
    fileprivate let chosen: SegmentDifference?
    fileprivate(set) var symbols: [CodedSymbol] = []
    /// Fewer symbols tell nothing, as a reader said.
    fileprivate(set) var needed = 0
    /// How many the reader has.
    fileprivate var asked = 0
    /// The command whose question a reader has.
    fileprivate(set) var command: CommandID?

    init(
        _ level: RepairLevel, itemCount: Int64, in difference: SegmentDifference?,
        chosen: SegmentDifference? = nil
    ) {
        self.level = level
        self.itemCount = itemCount
        self.difference = difference
        self.chosen = chosen ?? difference
    }
}

extension Repair {
    /// - Parameter cursor: What the device has heard of.
    fileprivate func query(heardOf cursor: Timetoken) -> RepairQuery {
        let symbols = SymbolRun(first: 0, itemCount: itemCount, symbols: symbols)
        let subject: RepairQuery.Subject =
            switch level {
            case .whole: .rows
            case .segments: .segments(heardOf: cursor)
            case .rows: chosen.map { .rowsOf($0) } ?? .rows
            }
        return RepairQuery(symbols: symbols, subject: subject)
    }
}

/// Who is repaired by segments.
struct SegmentedRepairs {
    /// Messages of a segment on average.
    var segmentMessages = Limits.segmentMessages
    /// A device with so many rows is; one with fewer has its rows compared at once.
    var rowsMin = Limits.repairSegmentedRowsMin
}

/// Why symbols are not compared.
enum RepairRefusal: Error {
    case error(ProtocolError)
    case step(RepairStep)
}

/// The repairs of one reactor that are under way, within the room for their symbols.
final class Repairs {
    /// Coded symbols that all sessions keep.
    private(set) var symbolCount = 0
    let segmented: SegmentedRepairs

    init(_ segmented: SegmentedRepairs) {
        self.segmented = segmented
    }

    /// Takes symbols of what a device has.
    ///
    /// - Parameters:
    ///   - difference: Which segments differ, where their rows are compared.
    ///   - chosen: What the device wants of that; `nil`: everything.
    /// - Returns: All that came so far, to be compared by a reader; or what to answer at once.
    func take(
        _ request: RepairRequest, in difference: SegmentDifference?,
        chosen: SegmentDifference? = nil, for subscription: Subscription, command: CommandID
    ) -> Result<RepairQuery, RepairRefusal> {
        let (run, level) = (request.run, request.level)
        guard subscription.state == .held, level != .rows || difference != nil else {
            return .failure(.error(.noRepair))
        }
        let repair =
            run.first == 0
            ? Repair(level, itemCount: run.itemCount, in: difference, chosen: chosen)
            : subscription.repair
        guard let repair, repair.level == level, repair.itemCount == run.itemCount,
            repair.symbols.count == run.first
        else { return .failure(.error(.noRepair)) }
        guard hasRoom(for: run.symbols.count, in: subscription.session) else {
            end(of: subscription)
            return .failure(.error(.overloaded))
        }
        count(run.symbols.count, of: subscription.session)
        repair.symbols += run.symbols
        subscription.repair = repair
        // A reader has those before it: they may do, and if not, it says how many would.
        guard repair.command == nil else {
            return .failure(.step(.needsSymbols(repair.symbols.count)))
        }
        guard repair.symbols.count >= repair.needed else {
            return .failure(.step(.needsSymbols(repair.needed)))
        }
        repair.command = command
        repair.asked = repair.symbols.count
        return .success(repair.query(heardOf: subscription.position))
    }

    /// Has the rows compared of the segments that differ, with the symbols that come next.
    func goOn(_ subscription: Subscription, withRowsOf difference: SegmentDifference) {
        end(of: subscription)
        subscription.repair = Repair(.rows, itemCount: 0, in: difference)
    }

    /// Hears that the symbols told nothing, and how many are needed at least.
    ///
    /// - Returns: How many to ask for: where others came meanwhile, a few more than these, so that
    ///   all are compared.
    func goOn(_ subscription: Subscription, needing count: Int) -> Int {
        guard let repair = subscription.repair else { return count }
        let hasMore = repair.symbols.count > repair.asked
        repair.command = nil
        repair.needed = hasMore ? max(count, repair.symbols.count + 1) : count
        return repair.needed
    }

    /// Forgets the symbols that a subscription's device sent.
    ///
    /// - Returns: Its question, if no reader has it yet: it would keep symbols that nobody counts.
    @discardableResult
    func end(of subscription: Subscription) -> [ReadRequest] {
        guard let repair = subscription.repair else { return [] }
        count(-repair.symbols.count, of: subscription.session)
        subscription.repair = nil
        guard let command = repair.command else { return [] }
        return subscription.session.questions.removeAll { question in
            guard case .repair = question.query else { return false }
            return question.asker.origin?.command == command
        }
    }

    private func hasRoom(for count: Int, in session: Session) -> Bool {
        session.repairSymbolCount + count <= Limits.repairSymbolsPerSessionMax
            && symbolCount + count <= Limits.repairSymbolsPerReactorMax
    }

    private func count(_ symbols: Int, of session: Session) {
        session.repairSymbolCount += symbols
        symbolCount += symbols
    }

    func checkInvariants(of sessions: some Sequence<Session>) {
        var all = 0
        for session in sessions {
            var own = 0
            for subscription in session.subscriptions.values {
                precondition(
                    subscription.repair == nil || subscription.state == .held,
                    "Only who is held sends symbols.")
                own += subscription.repair?.symbols.count ?? 0
            }
            precondition(session.repairSymbolCount == own, "A session's symbols are counted.")
            all += own
        }
        precondition(symbolCount == all, "All sessions' symbols are counted.")
    }
}
