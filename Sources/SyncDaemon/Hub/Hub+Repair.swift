// Devices whose actions cannot be brought up to date by what changed: they are held until they are
// repaired.

import Basis
import EventModel

/// What a device sent for the repair of one channel: symbols of its actions, from index 0 on.
///
/// A class, so that the many subscriptions that need none have no room for it.
final class Repair {
    let itemCount: Int64
    var symbols: [CodedSymbol] = []
    /// Fewer symbols tell nothing, as a reader said.
    var needed = 0
    /// The command whose question a reader has.
    var command: CommandID?

    init(itemCount: Int64) {
        self.itemCount = itemCount
    }
}

extension Subscription {
    /// Where reading what it lacks starts.
    var start: ChangeStart {
        let actions = max(position, actionsFrom)
        if actions == .zero { return .ofNothing }
        // A device that gets a repair has something: it hears of all deletions.
        return ChangeStart(
            messages: position, deletions: max(position, tombstonesFrom), actions: actions,
            tombstones: max(actions, tombstonesFrom))
    }

    /// Whether an event after its position says something that a repair did not say.
    func lacks(_ event: EncodedEnvelope) -> Bool {
        event.action == nil || event.timetoken > actionsFrom
    }
}

extension Hub {
    /// Starts to follow a channel, and sends nothing of it before its device is repaired.
    ///
    /// - Parameter cursor: The device has all messages up to here.
    func hold(
        _ session: Session, on channel: Channel, at cursor: Timetoken, pace: Pace = Pace()
    ) {
        _ = begin(session, in: topic(of: channel), at: cursor, .held, pace)
    }

    // MARK: Symbols

    /// Takes symbols of a device's actions.
    ///
    /// - Returns: All that came so far, to be compared by a reader; or what to answer at once.
    func take(
        _ run: SymbolRun, for subscription: Subscription, command: CommandID
    ) -> Result<SymbolRun, RepairRefusal> {
        guard subscription.state == .held else { return .failure(.error(.noRepair)) }
        if run.first == 0 { endRepair(of: subscription) }
        // Its answer may have been one more than the session has room for.
        guard subscription.state == .held else { return .failure(.error(.noRepair)) }
        let repair = subscription.repair ?? Repair(itemCount: run.itemCount)
        guard repair.itemCount == run.itemCount, repair.symbols.count == run.first,
            repair.command == nil
        else { return .failure(.error(.noRepair)) }
        guard hasRoom(forSymbols: run.symbols.count, in: subscription.session) else {
            endRepair(of: subscription)
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

    /// Takes what a reader made of the symbols, and lets the subscription go on when they told.
    func finishRepair(
        _ outcome: RepairOutcome, for answer: ReadAnswer
    ) -> Result<Reply, ProtocolError> {
        guard case .client(let origin) = answer.asker, let session = sessions[origin.session],
            let subscription = session.subscriptions[answer.channel],
            subscription.state == .held, subscription.repair?.command == origin.command
        else { return .failure(.noRepair) }
        switch outcome {
        case .needs(let count) where count <= Limits.repairSymbolsMax:
            subscription.repair?.command = nil
            subscription.repair?.needed = count
            return .success(.repair(.needsSymbols(count)))
        case .repaired(let channel):
            endRepair(of: subscription)
            learn(channel.digest, at: channel.cursor, of: answer.channel)
            goOn(subscription, from: channel.cursor)
            return .success(
                .repair(
                    .difference(
                        RepairDifference(
                            cursor: channel.cursor, state: channel.digest, rows: channel.rows,
                            dropped: channel.drop))))
        case .needs, .snapshot:
            endRepair(of: subscription)
            return .success(.repair(.snapshot))
        }
    }

    /// Forgets the symbols that a subscription's device sent.
    func endRepair(of subscription: Subscription) {
        guard let repair = subscription.repair else { return }
        count(-repair.symbols.count, of: subscription.session)
        subscription.repair = nil
        if let command = repair.command { withdraw(command, of: subscription.session) }
    }

    /// Takes back a question that no reader has yet: it would keep symbols that nobody counts.
    private func withdraw(_ command: CommandID, of session: Session) {
        let withdrawn = session.questions.removeAll { question in
            guard case .repair = question.query else { return false }
            return question.asker.origin?.command == command
        }
        for question in withdrawn { refuse(question, of: session, .noRepair) }
    }

    private func hasRoom(forSymbols count: Int, in session: Session) -> Bool {
        session.repairSymbolCount + count <= Limits.repairSymbolsPerSessionMax
            && repairSymbolCount + count <= Limits.repairSymbolsPerReactorMax
    }

    private func count(_ symbols: Int, of session: Session) {
        session.repairSymbolCount += symbols
        repairSymbolCount += symbols
    }

    // MARK: Afterwards

    /// Sends what the device lacks: of actions only what came after `cursor`.
    private func goOn(_ subscription: Subscription, from cursor: Timetoken) {
        subscription.actionsFrom = cursor
        lag(subscription)
    }

    /// The events that a subscription needs to be up to date, those before its repair included;
    /// `nil` when memory does not reach back far enough, or this reactor has not heard of all
    /// commits up to the repair.
    func remembered(for subscription: Subscription) -> ArraySlice<EncodedEnvelope>? {
        let topic = subscription.topic
        guard durablePosition >= subscription.actionsFrom,
            subscription.actionsFrom <= subscription.position || topic.pending.isEmpty
        else { return nil }
        let events = topic.recent.events(after: subscription.position)
        // A device with nothing is to hear of no deletion: of what it never had, or is about to
        // lose again. The readers leave both out.
        if subscription.position == .zero, events?.contains(where: \.isDeletion) ?? false {
            return nil
        }
        return events
    }

    /// Sends the state to a device that turned out to be up to date without having heard it.
    ///
    /// Its last page may have been full, so that the reader could not know that it was the last.
    /// After a repair this moves its cursor: one from before the tombstone floor would stay there.
    func tellMissingState(_ subscription: Subscription) {
        guard subscription.lacksState || subscription.actionsFrom > subscription.position else {
            return
        }
        subscription.lacksState = false
        tellState(subscription)
    }
}

/// Why symbols are not compared.
enum RepairRefusal: Error {
    case error(ProtocolError)
    case step(RepairStep)
}
