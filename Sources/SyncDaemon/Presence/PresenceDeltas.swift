// What changed in a channel between two announcements of it.

import EventModel

/// Who came, left and vanished: the net effect since the last interval announcement.
///
/// Somebody who came and left again is in no list, nor is somebody who left and came back.
struct PresenceDeltas {
    enum Change {
        case joined, left, timedOut
    }

    /// Over it the lists are given up: whoever reads the announcement asks who is here.
    ///
    /// For good until the next announcement, so that one that takes long needs no more memory.
    static let bytesMax = 30 * 1024

    private var changes: [ExactText: Change] = [:]
    private var byteCount = 0
    private(set) var isTooLong = false

    mutating func note(_ change: Change, of userID: ExactText) {
        guard !isTooLong else { return }
        switch (changes[userID], change) {
        case (nil, _):
            changes[userID] = change
            byteCount += Self.bytes(of: userID)
        case (.joined, .left), (.joined, .timedOut), (.left, .joined), (.timedOut, .joined):
            changes[userID] = nil
            byteCount -= Self.bytes(of: userID)
        default: preconditionFailure("A user came twice or left twice.")
        }
        guard byteCount > Self.bytesMax else { return }
        isTooLong = true
        changes = [:]
    }

    /// The users with one change, ascending.
    func users(_ change: Change) -> [String] {
        changes.filter { $0.value == change }.keys.sorted().map(\.string)
    }

    /// The bytes of a user id in a JSON list: quotes, a comma, and RFC 8259's escapes.
    private static func bytes(of userID: ExactText) -> Int {
        userID.string.utf8.reduce(3) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"): count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
