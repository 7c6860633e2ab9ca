// Read marks: they go forward, and whoever asked for them is told.

import EventModel

extension Ledger {
    /// Moves a user's mark, unless it is there or further already.
    ///
    /// Of a channel that the store does not know there is nothing to read: none is kept.
    func markRead(
        through asked: Timetoken, for write: Write, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let (user, channel) = (write.author.userID, write.channel)
        // Not of what is still to come.
        let through = min(asked, last)
        guard try store.hasChannel(channel) else { return .success(.markedRead(through)) }
        if let mark = try store.readMark(of: user, in: channel), mark >= through {
            return .success(.markedRead(mark))
        }
        try store.setReadMark(through, of: user, in: channel)
        commit.readMarks.append(MovedMark(channel: channel, userID: user, through: through))
        return .success(.markedRead(through))
    }
}
