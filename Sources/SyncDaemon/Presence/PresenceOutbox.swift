// Announcements that are known and not out yet.

import Basis
import EventModel

/// Announcements in the order of what they say, each with the moment it goes out.
struct PresenceOutbox {
    /// Milliseconds from a fact to its announcement.
    ///
    /// SDKs send their first heartbeat and their first subscribe side by side. Were a join
    /// announced at once, its timetoken could lie before the cursor that the subscribe answers,
    /// and whoever joins would never see it. PubNub's own service takes one to two seconds.
    static let delay: UInt64 = 500

    private var entries = Queue<(due: UInt64, announcement: Presence.Announcement)>()

    var count: Int { entries.count }

    /// When the first one goes out.
    var nextDue: UInt64? { entries.first?.due }

    mutating func append(_ announcement: Presence.Announcement, at milliseconds: UInt64) {
        entries.append((milliseconds + Self.delay, announcement))
    }

    /// - Complexity: O(announcements that go out), amortised.
    mutating func takeDue(
        at milliseconds: UInt64, atMost limit: Int
    ) -> [Presence.Announcement] {
        var due: [Presence.Announcement] = []
        while due.count < limit, let entry = entries.popFirst(where: { $0.due <= milliseconds }) {
            due.append(entry.announcement)
        }
        return due
    }
}
