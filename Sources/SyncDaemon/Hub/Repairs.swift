// What devices sent whose actions cannot be brought up to date by what changed: they are held until
// they are repaired.

import Basis
import EventModel

/// What a device sent for the repair of one channel: symbols of its actions, from index 0 on.
///
/// A class, so that the many subscriptions that need none have no room for it.
final class Repair {
    let itemCount: Int64
    fileprivate(set) var symbols: [CodedSymbol] = []
    /// Fewer symbols tell nothing, as a reader said.
    fileprivate(set) var needed = 0
    /// The command whose question a reader has.
    fileprivate(set) var command: CommandID?

    init(itemCount: Int64) {
        self.itemCount = itemCount
    }
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

    /// Takes symbols of a device's actions.
    ///
    /// - Returns: All that came so far, to be compared by a reader; or what to answer at once.
    func take(
        _ run: SymbolRun, for subscription: Subscription, command: CommandID
    ) -> Result<SymbolRun, RepairRefusal> {
        guard subscription.state == .held else { return .failure(.error(.noRepair)) }
        let repair = subscription.repair ?? Repair(itemCount: run.itemCount)
        guard repair.itemCount == run.itemCount, repair.symbols.count == run.first,
            repair.command == nil
        else { return .failure(.error(.noRepair)) }
        guard hasRoom(for: run.symbols.count, in: subscription.session) else {
            end(of: subscription)
            return .failure(.error(.overloaded))
        }
        count(run.symbols.count, of: subscription.session)
        repair.symbols += run.symbols
        let isEnough = repair.symbols.count >= repair.needed
        if isEnough { repair.command = command }
        subscription.repair = repair
        guard isEnough else { return .failure(.step(.needsSymbols(repair.needed))) }
        return .success(
            SymbolRun(first: 0, itemCount: repair.itemCount, symbols: repair.symbols))
    }

    /// Hears that the symbols told nothing, and how many are needed at least.
    func goOn(_ subscription: Subscription, needing count: Int) {
        subscription.repair?.command = nil
        subscription.repair?.needed = count
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
