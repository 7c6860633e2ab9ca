// Announcements that are known and not out yet.

import EventModel

/// Announcements in the order of what they say, each with the moment it goes out.
struct PresenceOutbox {
    /// Milliseconds from a fact to its announcement.
    ///
    /// SDKs send their first heartbeat and their first subscribe side by side. Were a join
    /// announced at once, its timetoken could lie before the cursor that the subscribe answers,
    /// and whoever joins would never see it. PubNub's own service takes one to two seconds.
    static let delay: UInt64 = 500

    private var entries: [(due: UInt64, announcement: Presence.Announcement)] = []
    private var head = 0

    var count: Int { entries.count - head }

    /// When the first one goes out.
    var nextDue: UInt64? { head < entries.count ? entries[head].due : nil }

    mutating func append(_ announcement: Presence.Announcement, at milliseconds: UInt64) {
        entries.append((milliseconds + Self.delay, announcement))
    }

    /// - Complexity: O(announcements that go out), amortised.
    mutating func takeDue(at milliseconds: UInt64) -> [Presence.Announcement] {
        let start = head
        while head < entries.count, entries[head].due <= milliseconds { head += 1 }
        let due = entries[start..<head].map(\.announcement)
        if head == entries.count {
            entries = []
            head = 0
        } else if head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
        return due
    }
}
