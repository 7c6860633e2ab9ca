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
