// What the lines of an export say, one value for each.

import EventModel

/// One line between the first and the last.
enum TransferRecord: Hashable {
    case channel(ChannelHead)
    case message(KeptMessage)
    case action(KeptAction)
    case mark(KeptMark)
    case deletion(KeptDeletion)
    case clearing(KeptClearing)
    case endOfChannel(ChannelEnd)
    case grouping(ChannelGroup, channel: String)
    case revoked(KeptRevocation)
    case grant(KeptGrant)
    case device(PushDevice, channel: String, user: String)
    case file(KeptFile)
    case end(TransferCounts)
}

extension TransferRecord {
    /// When it came to be, which new timetokens are to be later than; `nil`: nobody knows.
    var moment: Timetoken? {
        switch self {
        case .message(let record): record.timetoken
        case .action(let record): record.removed ?? record.action.actionTimetoken
        case .deletion(let record): record.timetoken
        case .clearing(let record): record.timetoken
        case .file(let record): record.file.created
        case .channel, .mark, .endOfChannel, .grouping, .revoked, .grant, .device, .end: nil
        }
    }
}

/// The first line: where it is from, and what was asked for.
struct ExportHead: Hashable {
    /// Of the lines; raised when an earlier release could not read them.
    static let format: Int64 = 1

    var release = Release.version
    var schema = SQLiteSchema.version
    var epoch: String
    /// The commit that it is of.
    var last: Timetoken
    /// Only where it is of all: then a store that is made from it has equal digests.
    var secret: DigestSecret?
    var selection: StoreSelection
    var includesRemoved: Bool
}

/// Whose rows follow, until ``ChannelEnd``.
struct ChannelHead: Hashable {
    var channel: Channel
    /// Of the digests in its store.
    var key: DigestKey
}

/// What the rows of a channel came to.
struct ChannelEnd: Hashable {
    var counts: TransferCounts
    var digest: Digest
    /// Of the lines between, to the byte: a digest leaves payloads out.
    var sum: UInt64
}

/// Rows, counted by kind.
struct TransferCounts: Hashable, Sendable {
    var channels = 0
    var messages = 0
    /// Those that stand.
    var actions = 0
    var removed = 0
    var marks = 0
    var deletions = 0
    var clearings = 0
    /// Channels of groups, tokens that were taken back, and grants.
    var others = 0
    /// Channels of which devices hear by push.
    var devices = 0
    var files = 0

    var rows: Int {
        messages + actions + removed + marks + deletions + clearings + others + devices + files
    }

    mutating func count(_ record: TransferRecord) {
        switch record {
        case .channel: channels += 1
        case .message: messages += 1
        case .action(let record):
            if record.removed == nil { actions += 1 } else { removed += 1 }
        case .mark: marks += 1
        case .deletion: deletions += 1
        case .clearing: clearings += 1
        case .grouping, .revoked, .grant: others += 1
        case .device: devices += 1
        case .file: files += 1
        case .endOfChannel, .end: break
        }
    }

    static func += (counts: inout TransferCounts, more: TransferCounts) {
        counts.channels += more.channels
        counts.messages += more.messages
        counts.actions += more.actions
        counts.removed += more.removed
        counts.marks += more.marks
        counts.deletions += more.deletions
        counts.clearings += more.clearings
        counts.others += more.others
        counts.devices += more.devices
        counts.files += more.files
    }
}

/// A checksum of lines, or of other pieces, in their order.
struct LineSum: Hashable {
    private var sum = RowSum()

    /// All of it: what it goes on from.
    var value: UInt64 { sum.state }

    init() {}

    init(value: UInt64) { sum = RowSum(state: value) }

    mutating func add(_ line: [UInt8]) {
        unsafe line.withUnsafeBytes { bytes in unsafe sum.add(bytes) }
    }
}
