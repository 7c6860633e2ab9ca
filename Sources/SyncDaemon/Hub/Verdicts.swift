// What filters say of events: each asked once per event, within a budget per turn.

import EventModel

/// The filters' verdicts of one reactor; many polls have the same filter.
///
/// Forgets all when it holds too much: to ask twice is dear, not wrong.
final class Verdicts {
    /// Holds no filter: ten thousand of them would be half a gigabyte, and 50 ms to free.
    private struct Question: Hashable {
        let filter: KeyedHash
        let event: Timetoken
    }

    private var known: [Question: Bool] = [:]
    /// `nil` for what passes every filter.
    private var messages: [Timetoken: FilteredMessage?] = [:]
    private var messageBytes = 0
    /// Left in this turn; the last question may cost more.
    private var steps = Limits.filterStepsPerTurnMax

    func beginTurn() { steps = Limits.filterStepsPerTurnMax }

    /// Whether a poll with this filter gets an event; `nil`: not in this turn any more.
    func verdict(of filter: MessageFilter?, on event: EncodedEnvelope) -> Bool? {
        guard let filter else { return true }
        let question = Question(filter: filter.fingerprint, event: event.timetoken)
        if let verdict = known[question] { return verdict }
        guard steps > 0 else { return nil }
        let verdict: Bool
        if let message = message(of: event) {
            let found = filter.verdict(on: message)
            steps -= found.steps
            verdict = found.isWanted
        } else {
            verdict = true
        }
        if known.count >= Limits.filterVerdictsMax { known.removeAll(keepingCapacity: true) }
        known[question] = verdict
        return verdict
    }

    private func message(of event: EncodedEnvelope) -> FilteredMessage? {
        if let message = messages[event.timetoken] { return message }
        let message = FilteredMessage(event)
        steps -= message?.cost ?? 1
        messageBytes += event.json.count
        if messageBytes > Limits.filteredBytesMax {
            messages = [:]
            messageBytes = event.json.count
        }
        messages[event.timetoken] = .some(message)
        return message
    }
}
