// What became of a write, and how a store remembers it for the retry.

import EventModel

/// What a mutation did, so that its retry can be answered alike.
struct MutationRecord: Sendable, Hashable {
    /// Tells one operation from another under a reused id.
    var fingerprint: UInt64
    var outcome: Outcome
}

/// What the ledger decided about a write; the raw values are stored: append, never renumber.
enum Outcome: Sendable, Hashable {
    case published(Timetoken)
    /// An action, and what it counts for; likewise the two others.
    case added(Timetoken, score: Int = 1)
    case already(Timetoken, score: Int = 1)
    case updated(Timetoken, score: Int = 1)
    case removed
    case absent
    case stale
    case deleted(Timetoken)
    /// How many actions are gone; at least one.
    case cleared(Timetoken, count: Int)
    case groupChanged
    case notOwner
    case tokenRevoked
    case keysGranted
    /// Where the mark is.
    case markedRead(Timetoken)
    /// Of the one entry that was set it has what that is now; no table remembers that.
    case directoryChanged(Timetoken, entry: DirectoryEntry? = nil)
    case deviceChanged
    case fileChanged

    /// The outcome as two numbers, for a table.
    var stored: (kind: Int64, timetoken: Timetoken) {
        switch self {
        case .published(let timetoken): (1, timetoken)
        case .added(let timetoken, let score): (2 | Self.kind(score), timetoken)
        case .already(let timetoken, let score): (3 | Self.kind(score), timetoken)
        case .updated(let timetoken, let score): (12 | Self.kind(score), timetoken)
        case .removed: (4, .zero)
        case .absent: (5, .zero)
        case .stale: (6, .zero)
        case .deleted(let timetoken): (7, timetoken)
        case .groupChanged: (8, .zero)
        case .notOwner: (9, .zero)
        case .tokenRevoked: (10, .zero)
        case .keysGranted: (11, .zero)
        case .markedRead(let through): (14, through)
        case .directoryChanged(let timetoken, _): (15, timetoken)
        case .deviceChanged: (16, .zero)
        case .fileChanged: (17, .zero)
        case .cleared(let timetoken, let count): (13 | Self.kind(count), timetoken)
        }
    }

    /// Above the kind itself, a score or a count; nothing for 1, as in older rows.
    private static func kind(_ score: Int) -> Int64 { score == 1 ? 0 : Int64(score) << 8 }

    init?(kind: Int64, timetoken: Timetoken) {
        let score = kind >> 8 == 0 ? 1 : Int(kind >> 8)
        switch kind & 0xFF {
        case 1: self = .published(timetoken)
        case 2: self = .added(timetoken, score: score)
        case 3: self = .already(timetoken, score: score)
        case 12: self = .updated(timetoken, score: score)
        case 4: self = .removed
        case 5: self = .absent
        case 6: self = .stale
        case 7: self = .deleted(timetoken)
        case 8: self = .groupChanged
        case 9: self = .notOwner
        case 10: self = .tokenRevoked
        case 11: self = .keysGranted
        case 13: self = .cleared(timetoken, count: score)
        case 14: self = .markedRead(timetoken)
        case 15: self = .directoryChanged(timetoken)
        case 16: self = .deviceChanged
        case 17: self = .fileChanged
        default: return nil
        }
    }
}
