// Which names channels have in a store.

import EventModel

extension Channel {
    /// Whether a store may have a channel of this name: all that a client may write to, and what
    /// comes of that.
    ///
    /// The memberships of a user whose id no channel's name can hold are kept, and not followed.
    static func mayBeStored(_ name: String) -> Bool {
        if case .memberships(let user) = Directory(channelName: name) {
            return (1...Limits.identifierBytesMax).contains(user.utf8.count)
        }
        return fault(inName: name, ofOne: true) == nil
    }
}
