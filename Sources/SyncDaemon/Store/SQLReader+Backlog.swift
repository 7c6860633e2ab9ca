// The backlog of a poll, in steps of one transaction each.

import EventModel
import SQL

extension SQLReader {
    func readOn(
        _ reading: inout BacklogReading, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try beginTransaction()
        defer { endTransaction() }
        reading.begin(at: try last())
        repeat {
            if let interest = reading.interest {
                try find(interest, for: &reading)
            } else if let (channel, through) = reading.next() {
                try read(channel, through: through, for: &reading)
            }
        } while !reading.isExhausted && mayGoOn()
    }

    private func read(
        _ channel: Channel, through end: Timetoken, for reading: inout BacklogReading
    ) throws(StoreError) {
        guard let id = try id(of: channel) else { return }
        let behind = Timetoken(rawValue: end.rawValue + 1)
        let start = ChangeStart(after: reading.cursor)
        var lists = [
            try messages(
                in: channel, id, after: reading.cursor, before: behind, limit: reading.limit),
            try actions(in: channel, id, from: start, before: behind, limit: reading.limit),
        ]
        if reading.bringsDeletions {
            let (cursor, limit) = (reading.cursor, reading.limit)
            lists += [
                try deletions(in: channel, id, after: cursor, limit: limit).upTo(end),
                try clearings(in: channel, id, after: cursor, limit: limit).upTo(end),
            ]
        }
        reading.add(merge(lists, last: end))
    }

    func readOn(
        _ search: inout ChannelSearch, while mayGoOn: () -> Bool
    ) throws(StoreError) {
        try beginTransaction()
        defer { endTransaction() }
        repeat {
            guard let interest = search.interest else { return }
            let (channels, rest) = try look(for: interest)
            var changed: [Channel] = []
            for channel in channels where try hasChanges(in: channel, after: search.cursor) {
                changed.append(channel)
            }
            search.found(changed, rest: rest)
        } while !search.isExhausted && mayGoOn()
    }

    private func hasChanges(
        in channel: Channel, after cursor: Timetoken
    ) throws(StoreError) -> Bool {
        guard let id = try id(of: channel) else { return false }
        var isAny = false
        try forEachMessage(in: id, after: cursor, before: .end, forward: true, limit: 1) { _ in
            isAny = true
            return false
        }
        guard !isAny else { return true }
        try statements.actionsForward.query(
            .integer(id), .timetoken(cursor), .timetoken(.end), .integer(1)
        ) { _ in
            isAny = true
            return false
        }
        return isAny
    }

    private func find(
        _ interest: Interest, for reading: inout BacklogReading
    ) throws(StoreError) {
        let (channels, rest) = try look(for: interest)
        reading.found(channels, rest: rest)
    }

    /// Some of the channels of an interest, and where further ones are.
    private func look(
        for interest: Interest
    ) throws(StoreError) -> (found: [Channel], rest: Interest?) {
        switch interest {
        case .channel(let channel): ([channel], nil)
        case .prefix(let prefix, let keyset):
            try look(for: prefix, from: prefix, keyset)
        case .rest(let prefix, let name, let keyset):
            // The least name behind it, for none holds a zero.
            try look(for: prefix, from: name + "\u{1}", keyset)
        }
    }

    private func look(
        for prefix: String, from first: String, _ keyset: String
    ) throws(StoreError) -> (found: [Channel], rest: Interest?) {
        var names: [String] = []
        var isEnd = false
        try statements.channelsFrom.query(
            .text(keyset), .text(first), .integer(Self.namesPerLook)
        ) { row in
            let name = row.text(1)
            isEnd = !name.utf8.starts(with: prefix.utf8)
            if !isEnd { names.append(name) }
            return !isEnd
        }
        let isCut = !isEnd && names.count == Self.namesPerLook
        return (
            names.map { Channel($0, keyset: keyset) },
            isCut ? names.last.map { .rest(prefix, after: $0, keyset: keyset) } : nil
        )
    }

    /// Names of channels that one look at their index finds.
    private static var namesPerLook: Int64 { 1000 }
}
