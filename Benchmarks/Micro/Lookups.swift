// Finding who is concerned by an event among ever more channels that are not.

import EventModel

@testable import SyncDaemon

enum Lookups {
    static func measure(_ watch: Stopwatch, into table: inout CostTable) {
        let sizes = [1, 1000, 100_000].filter { $0 <= watch.effort.sizeMax }
        for hasWildcard in [false, true] {
            for size in sizes {
                table.add(
                    "topic lookup: \(title(size, hasWildcard))",
                    topics(size, hasWildcard, watch))
            }
        }
        for hasWildcard in [false, true] {
            for size in sizes {
                table.add(
                    "interest lookup: \(title(size, hasWildcard))",
                    interests(size, hasWildcard, watch))
            }
        }
        for size in [0, 10, Limits.namespacePatternsMax] {
            table.add("settings of a channel: \(size) patterns", settings(size, watch))
        }
    }

    private static func title(_ size: Int, _ hasWildcard: Bool) -> String {
        let channels = size == 1 ? "1 channel" : "\(size) channels"
        return hasWildcard ? "\(channels) and a wildcard" : channels
    }

    /// Names with two dots, so that each falls under two wildcards.
    private static func channel(_ number: Int) -> Channel {
        Channel("chat.room.\(number)")
    }

    private static let wildcard = Channel("chat.*")

    /// Some of the channels, in an order that no cache foresees.
    private static func asked(_ size: Int) -> [Channel] {
        (0..<8192).map { channel($0 &* 7919 % size) }
    }

    private static func topics(
        _ size: Int, _ hasWildcard: Bool, _ watch: Stopwatch
    ) -> Cost {
        let topics = Hub(engine: IdleEngine(), counters: Counters()).topics
        let channels = (0..<size).map(channel) + (hasWildcard ? [wildcard] : [])
        for channel in channels {
            _ = topics.topic(of: channel)
        }
        let asked = asked(size)
        return watch.measure { count in
            var found = 0
            for index in 0..<count {
                topics.forEach(concernedBy: asked[index % asked.count]) { _ in found &+= 1 }
            }
            precondition(found == (hasWildcard ? 2 : 1) * count, "topics were not found")
            return found
        }
    }

    private static func interests(
        _ size: Int, _ hasWildcard: Bool, _ watch: Stopwatch
    ) -> Cost {
        let interests = InterestTable()
        for number in 0..<size { interests.add(channel(number), of: number % 2) }
        if hasWildcard { interests.add(wildcard, of: 2) }
        // As the ledger asks: with the events of a commit, here one.
        let commits = asked(size).map {
            [Samples.message("1", in: $0, at: Samples.firstTimetoken)]
        }
        return watch.measure { count in
            var found = 0
            for index in 0..<count {
                let wanted = interests.reactors(wanting: commits[index % commits.count])
                if !wanted[0].isEmpty { found &+= 1 }
            }
            precondition(found == count, "reactors were not found")
            return found
        }
    }

    /// As each publish asks, in a keyset none of whose patterns fits.
    private static func settings(_ size: Int, _ watch: Stopwatch) -> Cost {
        var keyset = Keyset(subscribeKey: "sub")
        for number in 0..<size {
            let pattern = ChannelPattern("chat.room.x\(number)*")
            pattern.map { keyset.namespaces.set(ChannelSettings(), for: $0) }
        }
        let asked = asked(1000)
        return watch.measure { count in
            var found = 0
            for index in 0..<count {
                found &+= keyset.settings(of: asked[index % asked.count]).announceMax
            }
            return found
        }
    }
}
