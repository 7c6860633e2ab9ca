// What a daemon leaves to itself when it begins anew: where its clients were.

import EventModel

extension PresencePromise {
    /// Leaves them for ``bequeathed()``; where there is no room for them, users are announced anew.
    ///
    /// - Returns: Whether there was.
    static func bequeath(_ promises: [PresencePromise]) -> Bool {
        var writer = LinkWriter()
        writer.put(promises)
        return Bequest.leave(writer.bytes)
    }

    /// What this process left; nothing when it did not begin anew.
    static func bequeathed() -> [PresencePromise] {
        var reader = LinkReader(Bequest.take()[...])
        return (try? reader.value([PresencePromise].self)) ?? []
    }
}
