// markRead and unread: up to where a user has read, on whatever device.

import EventModel

extension Operations {
    /// No publish key is asked for: it changes nothing that others see.
    static func markRead(_ mark: ReadMark, by caller: some Caller) -> OperationOutcome {
        guard caller.settings(of: mark.channel).keepsMessages else {
            return .refused(.historyDisabled)
        }
        let write = Write(
            origin: caller.origin, author: caller.author, channel: caller.channel(mark.channel),
            operation: .markRead(through: mark.through), mutation: nil)
        return caller.engine.submit(write) ? .later : .refused(.overloaded)
    }

    /// - Precondition: There is one channel at least.
    static func unread(_ channels: [String], for caller: some Caller) -> OperationOutcome {
        guard channels.allSatisfy({ caller.settings(of: $0).keepsMessages }) else {
            return .refused(.historyDisabled)
        }
        return caller.ask(.unread(channels, user: caller.author.userID), about: channels[0])
    }

    /// The same for a session, which is told of its user's marks from then on.
    static func followUnread(
        _ channels: [String], for caller: SessionCaller
    ) -> OperationOutcome {
        guard channels.allSatisfy({ caller.settings(of: $0).keepsMessages }) else {
            return .refused(.historyDisabled)
        }
        // Before the question: a mark that moves meanwhile is in the answer, or told.
        caller.hub.marks.follow(caller.session)
        return unread(channels, for: caller)
    }
}
