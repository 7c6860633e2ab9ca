// Removing actions by what they have in common, in the store in memory.

import EventModel

extension MemoryStore {
    func scanActions(
        coveredBy clearing: Clearing, from start: MessageAction.Key, of channel: Channel,
        limit: inout Int, body: (MessageAction) -> Void
    ) -> MessageAction.Key? {
        let rows = working.actions[channel, default: [:]]
            .filter { $0.key >= start && $0.value.isLive && clearing.covers($0.key) }
            .sorted { $0.key < $1.key }
        let looked = rows.prefix(max(1, limit))
        limit -= looked.count
        for (key, row) in looked { body(row.action(under: key)) }
        return looked.count < rows.count || limit <= 0 ? looked.last?.key.next : nil
    }

    func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel
    ) {
        for action in actions { working.actions[channel]?[action.key] = nil }
        working.clearings[channel, default: []].append((timetoken, clearing))
    }

    /// Removes them: there is no disk to wait for.
    func hideActions(coveredBy clearing: Clearing, at timetoken: Timetoken, of channel: Channel) {
        let covered = working.actions[channel, default: [:]]
            .filter { $0.value.isLive && clearing.covers($0.key) }
            .map { $0.value.action(under: $0.key) }
        clear(covered, coveredBy: clearing, at: timetoken, in: channel)
    }
}
