// What is kept for a time is kept for that time, whatever the clock on the wall does.

import EventModel

@testable import SyncDaemon

/// Notes when things happened in the world's own time, which never steps.
struct RetentionWitness {
    /// Removals of actions, by their positions; microseconds.
    private var removed: [Timetoken: UInt64] = [:]
    /// Messages that were to be kept for some hours.
    private var expiring: [Timetoken: (hours: Int, written: UInt64)] = [:]
    private var floor = Timetoken.zero

    /// A transaction became durable.
    ///
    /// - Parameters:
    ///   - asked: Whether a range of messages was deleted because somebody asked for it.
    ///   - tombstoneSeconds: How long removals are to be remembered.
    mutating func see(
        _ commit: Commit, of writes: [Write], _ operations: [StoredOperation],
        floor: Timetoken, tombstoneSeconds: UInt64, at now: UInt64
    ) -> [String] {
        var found: [String] = []
        for (write, answer) in zip(writes, commit.answers) {
            guard case .publish(_, let hours) = write.operation, hours > 0,
                case .success(.published(let timetoken)) = answer.result
            else { continue }
            expiring[timetoken] = expiring[timetoken] ?? (hours, now)
        }
        let wasAsked = writes.contains { write in
            switch write.operation {
            case .deleteMessages, .deleteMessage: true
            default: false
            }
        }
        for operation in operations {
            switch operation {
            case .remove(_, _, let timetoken), .clear(_, _, let timetoken):
                removed[timetoken] = now
            case .delete(_, let start, let end, _) where end.rawValue == start.rawValue + 1:
                guard !wasAsked, let (hours, written) = expiring[end] else { continue }
                if now - written + Microseconds.second < UInt64(hours) * 3600 * Microseconds.second
                {
                    found.append(
                        "\(end) was to be kept \(hours) h, and went after "
                            + "\((now - written) / Microseconds.second) s")
                }
            default: continue
            }
        }
        for (position, moment) in removed where self.floor < position && position <= floor {
            let age = now - moment
            if age + Microseconds.second < tombstoneSeconds * Microseconds.second {
                found.append(
                    "the removal at \(position) was forgotten after "
                        + "\(age / Microseconds.second) s, not \(tombstoneSeconds)")
            }
        }
        self.floor = max(self.floor, floor)
        return found
    }

    /// Another store is in the place of the present one.
    mutating func forget() {
        self = RetentionWitness()
    }
}
