// What the groups of streams had before they changed.
//
// A stream is one poll after another. Between two of them, and while one is behind, its groups may
// get other channels: what was published before that is judged by those that they had then.

import EventModel

/// The groups that streams of one reactor name, and how these changed not long ago.
struct StreamedGroups {
    /// A change of a group's channels.
    private struct Shift {
        /// What is after it belongs to the new channels.
        let through: Timetoken
        let added: Set<Channel>
        let removed: Set<Channel>
    }

    private struct Entry {
        /// In the order of the names' bytes.
        var channels: [Channel]
        var sessions: Set<SessionID> = []
        /// Oldest first.
        var shifts: [Shift] = []
    }

    private var entries: [PolledGroup: Entry] = [:]
    private var named: [SessionID: [PolledGroup]] = [:]

    var isEmpty: Bool { entries.isEmpty && named.isEmpty }

    /// Notes which groups a stream names; again it costs nothing.
    ///
    /// - Parameter channels: Those of a group.
    mutating func enter(_ request: PollRequest, channels: (PolledGroup) -> [Channel]) {
        guard !request.groups.isEmpty, named[request.session] == nil else { return }
        named[request.session] = request.groups
        for group in request.groups {
            var entry = entries[group] ?? Entry(channels: channels(group))
            entry.sessions.insert(request.session)
            entries[group] = entry
        }
    }

    /// Forgets a stream that is over.
    mutating func leave(_ session: SessionID) {
        for group in named.removeValue(forKey: session) ?? [] {
            entries[group]?.sessions.remove(session)
            if entries[group]?.sessions.isEmpty == true { entries[group] = nil }
        }
    }

    /// Those of a group as of the reactor's position; `nil`: no stream names it.
    func channels(of group: PolledGroup) -> [Channel]? { entries[group]?.channels }

    /// Notes that a group has other channels.
    ///
    /// - Parameter position: Of the commit that changed it.
    mutating func changed(_ membership: GroupMembership, at position: Timetoken) {
        for name in [false, true].map({ PolledGroup(group: membership.group, isPresence: $0) }) {
            guard var entry = entries[name] else { continue }
            let (before, channels) = (Set(entry.channels), name.channels(membership.channels))
            let shift = Shift(
                through: position, added: Set(channels).subtracting(before),
                removed: before.subtracting(channels))
            entry.channels = channels
            // What is from before the oldest is judged by what came of it.
            if entry.shifts.count == Limits.groupShiftsMax { entry.shifts.removeFirst() }
            entry.shifts.append(shift)
            entries[name] = entry
        }
    }

    /// Has a stream's poll end where one of its groups changed after its cursor, and see until then
    /// what they had.
    ///
    /// - Complexity: O(channels of the groups that changed).
    func bound(_ request: inout PollRequest) {
        let later = request.groups.map { group in
            (group, (entries[group]?.shifts ?? []).filter { $0.through > request.cursor })
        }
        guard let first = later.compactMap(\.1.first?.through).min() else { return }
        request.through = first
        for (group, shifts) in later {
            let changed = shifts.reduce(into: Set<Channel>()) { changed, shift in
                changed.formUnion(shift.added)
                changed.formUnion(shift.removed)
            }
            let now = changed.intersection(entries[group]?.channels ?? [])
            // Each is undone, the last first.
            let then = shifts.reversed().reduce(now) { channels, shift in
                channels.subtracting(shift.added).union(shift.removed)
            }
            request.hidden[group] = now.subtracting(then)
            request.interests += then.subtracting(now).map {
                PollRequest.Interest(channel: $0, subscription: group.subscription)
            }
        }
    }
}
