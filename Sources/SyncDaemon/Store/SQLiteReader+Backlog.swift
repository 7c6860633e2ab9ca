// The backlog of a poll, in steps of one transaction each.

import EventModel
import SQLite

extension SQLiteReader {
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
        let lists = [
            try messages(
                in: channel, id, after: reading.cursor, before: behind, limit: reading.limit),
            try actions(in: channel, id, from: start, before: behind, limit: reading.limit),
        ]
        reading.add(merge(lists, last: end))
    }

    private func find(
        _ interest: Interest, for reading: inout BacklogReading
    ) throws(StoreError) {
        switch interest {
        case .channel(let channel): reading.found([channel], rest: nil)
        case .prefix(let prefix, let keyset):
            try find(prefix, from: prefix, keyset, for: &reading)
        case .rest(let prefix, let name, let keyset):
            // The least name behind it.
            try find(prefix, from: name + "\u{0}", keyset, for: &reading)
        }
    }

    private func find(
        _ prefix: String, from first: String, _ keyset: String, for reading: inout BacklogReading
    ) throws(StoreError) {
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
        reading.found(
            names.map { Channel($0, keyset: keyset) },
            rest: isCut
                ? names.last.map { .rest(prefix, after: $0, keyset: keyset) } : nil)
    }

    /// Names of channels that one look at their index finds.
    private static var namesPerLook: Int64 { 1000 }
}
