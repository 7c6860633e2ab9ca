// What is kept for a time: tombstones, deletions, mutations, and when timetokens were given.

import Basis
import EventModel

extension MemoryStore {
    // MARK: Tombstones

    private var tombstones: [(channel: Channel, key: MessageAction.Key, changed: Timetoken)] {
        working.actions.flatMap { channel, rows in
            rows.filter { !$0.value.isLive }.map { (channel, $0.key, $0.value.changed) }
        }
    }

    func hasTombstones(before moment: Timetoken) -> Bool {
        tombstones.contains { $0.changed < moment } || !clearings(before: moment).isEmpty
    }

    private func clearings(
        before moment: Timetoken
    ) -> [(channel: Channel, timetoken: Timetoken)] {
        working.clearings.flatMap { channel, clearings in
            clearings.filter { $0.timetoken < moment }.map { (channel, $0.timetoken) }
        }
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) {
        let old = tombstones.filter { $0.changed < moment }
        let clearings = clearings(before: moment)
        let times = (old.map(\.changed) + clearings.map(\.timetoken)).sorted()
        guard let newest = times.prefix(limit).last else { return }
        for (channel, key, changed) in old where changed <= newest {
            working.actions[channel]?[key] = nil
        }
        for (channel, timetoken) in clearings where timetoken <= newest {
            working.clearings[channel]?.removeAll { $0.timetoken == timetoken }
        }
        working.tombstoneFloor = max(working.tombstoneFloor, newest)
    }

    // MARK: Deletions

    func hasDeletions(before moment: Timetoken) -> Bool {
        working.deletions.values.contains { $0.contains { $0.timetoken < moment } }
    }

    func forgetDeletions(before moment: Timetoken, limit: Int) {
        let old = working.deletions.values.flatMap(\.self).filter { $0.timetoken < moment }
            .sorted { $0.timetoken < $1.timetoken }
        for deletion in old.prefix(limit) {
            working.deletions[deletion.channel]?.removeAll { $0 == deletion }
            working.deletionFloor = max(working.deletionFloor, deletion.timetoken)
        }
    }

    // MARK: Mutations

    func outcome(of mutation: String, by author: Author) -> MutationRecord? {
        working.mutations[MutationName(author: author, name: ExactText(mutation))]?.record
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) {
        working.mutations[MutationName(author: author, name: ExactText(mutation))] = (
            record, timetoken
        )
    }

    var mutationCount: Int { committed.withLock { $0.mutations.count } }

    func hasMutations(before timetoken: Timetoken) -> Bool {
        working.mutations.values.contains { $0.timetoken < timetoken }
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) {
        let old = working.mutations.filter { $0.value.timetoken < timetoken }
            .sorted { $0.value.timetoken < $1.value.timetoken }
        for (name, _) in old.prefix(limit) { working.mutations[name] = nil }
    }

    // MARK: Ages

    func ages() -> [AgeMark] { working.ages }

    func add(_ mark: AgeMark) { working.ages.append(mark) }

    func forgetAges(before timetoken: Timetoken) {
        working.ages.removeAll { $0.through < timetoken }
    }
}
