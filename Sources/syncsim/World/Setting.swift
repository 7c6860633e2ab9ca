// What kind of world a seed makes: calm or rough, small or crowded.

import Basis
import EventModel

@testable import SyncDaemon

/// The dice of one world, thrown before it begins.
struct Setting {
    let reactors: Int
    let readers: Int
    let users: Int
    let devices: Int
    /// Clients with SDKs, who poll.
    let pollers: Int
    /// Whether the store is SQLite's, on a disk of ours.
    let isFile: Bool
    /// Of devices and SDKs.
    let channels: [String]
    /// Bytes that may wait for one session in the daemon.
    let sendQueueBytes: Int
    /// Bytes of recent events that a reactor remembers.
    let recentBytes: Int
    /// How long events wait for more.
    let windowMilliseconds: Int
    /// Bytes that fit into the sockets of a connection.
    let socketBytes: Int
    /// Questions that may wait for the readers.
    let questionsMax: Int
    /// Writes that may wait for the ledger.
    let writesMax: Int
    /// Writes in one commit.
    let commitWritesMax: Int
    /// How long the faults last.
    let duration: UInt64
    /// Between two deeds of a device, at most.
    let pause: UInt64
    /// Between two faults, at most.
    let peace: UInt64
    /// The longest sync of the disk.
    let syncMax: UInt64
    /// Bytes of a large message; 0: none is large.
    let largeBytes: Int
    /// How long removals are remembered.
    let tombstoneSeconds: UInt64
    /// Rows that one commit deletes.
    let deletedRowsMax: Int
    /// Where channels are cut into segments.
    let segments: SegmentBounds
    /// Rows of a device that is repaired by segments.
    let segmentedRowsMin: Int64
    let values: [String]
    /// Whether somebody follows all channels by summaries.
    let hasSummaryFollower: Bool
    /// Whether somebody follows groups and a wildcard, and names no channel.
    let hasSelectionFollower: Bool
    /// Whether somebody removes what others said.
    let hasModerator: Bool
    /// Whether people change what they wrote.
    let hasEditors: Bool
    /// Whether devices hold parts of their channels.
    let hasWindows: Bool
    /// How much of a channel is a page.
    let windowBounds: WindowReading.Bounds
    /// Events of one page of what a device missed.
    let pageEvents: Int
    /// Whether the store is a database server's, and another daemon waits in reserve.
    let hasReserve: Bool
    /// Daemons that follow the one that serves then.
    let followers: Int
    /// What holds in all channels.
    let rules: ReactionRules

    init(_ choices: inout SeededGenerator) {
        reactors = choices.between(1, 3)
        readers = choices.between(1, 2)
        users = choices.between(2, 4)
        devices = choices.between(3, 6)
        pollers = choices.pick([0, 1, 2, 4])
        isFile = choices.chance(35)
        channels = Array(["room", "den", "hall"].prefix(choices.between(1, 3)))
        // No less than the answers to all that a device asks at once: the daemon takes no setting
        // that is, and closes who is owed more, again and again.
        sendQueueBytes = choices.pick([3000, 6000, 1_000_000])
        recentBytes = choices.pick([500, 5000, 1_000_000])
        windowMilliseconds = choices.pick([0, 0, 20, 300])
        socketBytes = choices.pick([600, 4000, 200_000])
        questionsMax = choices.pick([1, 4, 1000])
        writesMax = choices.pick([8, 1000])
        commitWritesMax = choices.pick([1, 4, 256])
        duration = UInt64(choices.between(20, 120)) * Microseconds.second
        // A span is 0.3 of its longest on average.
        let deeds = choices.pick([60, 200, 400, 800])
        pause = duration * UInt64(devices * 3) / UInt64(deeds)
        peace = UInt64(choices.pick([1, 4, 15])) * Microseconds.second
        syncMax = UInt64(choices.pick([2, 20, 400])) * Microseconds.millisecond
        largeBytes = choices.pick([0, 0, 0, 15_000])
        tombstoneSeconds = choices.pick([0, 2, 20, 100, 30 * 24 * 3600])
        deletedRowsMax = choices.pick([3, 12, Limits.deletedRowsPerCommitMax])
        segments = SegmentBounds(
            messages: 1 + (users + devices) % 4, rowsMax: devices % 2 == 0 ? 6 : 5000)
        segmentedRowsMin = (users + devices) % 3 == 0 ? 5000 : 0
        values = Array(["👍", "❤️", "love", "😂"].prefix(choices.between(1, 4)))
        var rules = ReactionRules()
        rules.mode = choices.pick([.distinct, .distinct, .unique, .flag, .multiple, .total])
        if choices.chance(50) {
            rules.aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        }
        self.rules = rules
        hasSummaryFollower = choices.chance(50)
        hasSelectionFollower = choices.chance(50)
        // Dice of its own: worlds without one are what they were before there were any.
        var others = choices
        hasModerator = others.chance(40)
        hasEditors = others.chance(50)
        hasWindows = others.chance(60)
        // Mostly a segment is more than a page.
        windowBounds = others.pick([
            WindowReading.Bounds(), .init(rows: 6, cheapRows: 8), .init(rows: 1, cheapRows: 3),
            .init(bytes: 300),
        ])
        // Who reads for longer than removals are remembered misses some, again and again.
        let pageMin = tombstoneSeconds < 100 ? 40 : 1
        pageEvents = max(pageMin, others.pick([Limits.catchUpEventsMax, 40, 8, 1]))
        hasReserve = others.chance(35)
        followers = others.pick([0, 1, 2])
    }
}
