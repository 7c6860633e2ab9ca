// deleteMessages: a range of a channel's messages, with the actions on them.

import EventModel

extension Operations {
    static func deleteMessages(_ request: DeletionRequest, by caller: some Caller)
        -> OperationOutcome
    {
        guard caller.settings(of: request.channel).allowsDeleting else {
            return .refused(.deletingDisabled)
        }
        return caller.submit(
            .deleteMessages(after: request.after, through: request.through), in: request.channel,
            mutation: request.mutation)
    }
}
