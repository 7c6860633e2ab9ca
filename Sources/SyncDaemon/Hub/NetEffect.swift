// What is left of a run of events when only its outcome matters. Pure.

import EventModel

/// Leaves out what is about actions.
func withoutActions(_ events: ArraySlice<EncodedEnvelope>) -> ArraySlice<EncodedEnvelope> {
    events.contains { $0.action != nil } ? events.filter { $0.action == nil }[...] : events
}

/// Keeps of each action key only what became of it last, as a reader's page does.
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
            // Added first means absent before, removed last means absent after.
            if firsts[key] == true, !last.isAdded { continue }
        }
        kept.append(event)
    }
    return kept[...]
}
