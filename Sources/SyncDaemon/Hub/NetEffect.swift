// What is left of a run of events when only its outcome matters. Pure.

import EventModel

/// Leaves out what is about actions, as far as a follower wants.
///
/// A clearing may be about any number of messages: who counts what is said of some hears of it.
func withoutActions(
    _ events: ArraySlice<EncodedEnvelope>, for detail: ActionsDetail
) -> ArraySlice<EncodedEnvelope> {
    events.contains { !$0.isTold(detail) } ? events.filter { $0.isTold(detail) }[...] : events
}

extension EncodedEnvelope {
    /// Whether a follower who wants so much of actions is sent it.
    func isTold(_ detail: ActionsDetail) -> Bool {
        switch detail {
        case .rows: true
        case .summary: action == nil
        case .none: !isAboutActions
        }
    }
}

/// Keeps of each action key only what became of it last, as a reader's page does.
///
/// Clearings stay where they are: what came after them stands, and what came before does not.
func summed(_ events: [EncodedEnvelope]) -> [EncodedEnvelope] {
    var seen: Set<MessageAction.Key> = []
    var kept: [EncodedEnvelope] = []
    for event in events.reversed() {
        if let key = event.action?.key, !seen.insert(key).inserted { continue }
        kept.append(event)
    }
    return kept.reversed()
}

/// What a row of readers' pages had no more: messages after a position that were deleted by a
/// moment, which no later page is as of.
struct Unseen: Hashable {
    let after: Timetoken
    let asOf: Timetoken

    fileprivate func holdsAll(of deletion: MessageDeletion) -> Bool {
        deletion.after >= after && deletion.timetoken <= asOf
    }
}

/// Leaves out deletions of what a follower never got.
///
/// - Parameters:
///   - unseen: What its pages left out so far.
///   - start: Of a reader's page: who wants it has nothing from after that, and finds nothing in it
///     that is gone.
/// - Complexity: O(events).
func withoutVainDeletions(
    _ events: ArraySlice<EncodedEnvelope>, _ unseen: Unseen?, after start: Timetoken = .end
) -> ArraySlice<EncodedEnvelope> {
    func isVain(_ event: EncodedEnvelope) -> Bool {
        guard let deletion = event.deletion else { return false }
        return deletion.after >= start || unseen?.holdsAll(of: deletion) ?? false
    }
    return events.contains(where: isVain) ? events.filter { !isVain($0) }[...] : events
}

/// Leaves out messages that a follower never got and that are gone again, what was said of them
/// until then, and their deletion; likewise.
///
/// - Parameters:
///   - events: All after the position, as they happened.
///   - unseen: What readers' pages left out before.
/// - Complexity: O(events) for each deletion of many messages at once; those stay, and all that
///   they are about, unless nothing here is.
func withoutPassing(
    _ events: [EncodedEnvelope], _ unseen: Unseen? = nil, after position: Timetoken
) -> [EncodedEnvelope] {
    var ends: [Timetoken: Timetoken] = [:]
    var vain: Set<Timetoken> = []
    for event in events {
        guard let deletion = event.deletion else { continue }
        let isUnseen = unseen?.holdsAll(of: deletion) ?? false
        if let message = deletion.onlyMessage {
            guard message > position || isUnseen, ends[message] == nil else { continue }
            ends[message] = deletion.timetoken
        } else if isUnseen, !events.contains(where: deletion.takes) {
            vain.insert(deletion.timetoken)
        }
    }
    guard !ends.isEmpty || !vain.isEmpty else { return events }
    return events.filter { event in
        if vain.contains(event.timetoken) { return false }
        // What was said of it later stands, though nobody has the message.
        guard let end = event.messageConcerned.flatMap({ ends[$0] }) else { return true }
        return event.timetoken > end
    }
}

extension EncodedEnvelope {
    /// The message that it is, or is about alone.
    fileprivate var messageConcerned: Timetoken? {
        switch subject {
        case .deletion(let deletion): deletion.onlyMessage
        case .action(let change): change.key.messageTimetoken
        case .other: isStored ? timetoken : nil
        case .clearing, .directory: nil
        }
    }
}

extension MessageDeletion {
    /// Whether something that happened before goes with it.
    fileprivate func takes(_ event: EncodedEnvelope) -> Bool {
        guard event.timetoken < timetoken else { return false }
        return event.messageConcerned.map(takes(messageAt:)) ?? false
    }

    /// The message that it is about, when it is about one alone.
    fileprivate var onlyMessage: Timetoken? {
        through.rawValue == after.rawValue + 1 ? through : nil
    }
}

/// As ``summed(_:)``, and leaves out actions that were neither there before nor after.
///
/// For followers who have everything before these events: to others a removal may be news though
/// they never saw the action added.
func netEffect(of events: ArraySlice<EncodedEnvelope>) -> ArraySlice<EncodedEnvelope> {
    var firsts: [MessageAction.Key: Bool] = [:]
    var lasts: [MessageAction.Key: (offset: Int, isAdded: Bool)] = [:]
    for (offset, event) in zip(events.indices, events) {
        guard let action = event.action else { continue }
        if firsts[action.key] == nil { firsts[action.key] = action.isAdded }
        lasts[action.key] = (offset, action.isAdded)
    }
    guard !lasts.isEmpty else { return events }
    var kept: [EncodedEnvelope] = []
    for (offset, event) in zip(events.indices, events) {
        if let key = event.action?.key {
            guard let last = lasts[key], last.offset == offset else { continue }
            // Added first means absent before, or cleared in this run; removed last means absent
            // after.
            if firsts[key] == true, !last.isAdded { continue }
        }
        kept.append(event)
    }
    return kept[...]
}
