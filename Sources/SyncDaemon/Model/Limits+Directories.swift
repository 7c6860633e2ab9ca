// The bounds of what is known of users, channels and members.

import EventModel

extension Limits {
    /// Bytes of what is known of one user, channel or membership; over it: `entry_too_large`.
    static let entryBytesMax = 16 * 1024
    /// UTF-8 bytes of a name, an address and the like; over it: `invalid_field`.
    static let entryTextBytesMax = 2048
    /// Entries that one command changes; over it: `invalid_field`.
    static let entriesChangedMax = 100
    /// Memberships that go with a user or a channel; over it: `too_many_memberships`.
    ///
    /// To listeners in as many channels is told what became of a user.
    static let membershipsMovedMax = 250
    /// Keys that a directory is sorted by; over it: `invalid_field`.
    static let directoryOrdersMax = 4
}
