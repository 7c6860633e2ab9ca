// deleteMessages: a range of a channel's messages, with the actions on them.

import EventModel

extension CommandRouter {
    static func deleteMessages(
        _ request: DeletionRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        guard context.engine.keysets[context.author.keyset]?.allowsDeleting == true else {
            return .failure(.deletingDisabled)
        }
        return context.submit(
            .deleteMessages(after: request.after, through: request.through), in: request.channel,
            mutation: request.mutation)
    }
}
