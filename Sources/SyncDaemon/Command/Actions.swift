// addAction and removeAction: reactions and everything shaped like them.

import EventModel

extension CommandRouter {
    static func addAction(
        _ request: ActionRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        context.submit(
            .add(key(of: request, in: context)), in: request.channel, mutation: request.mutation)
    }

    static func removeAction(
        _ request: RemovalRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        context.submit(
            .remove(key(of: request.action, in: context), observed: request.actionTimetoken),
            in: request.action.channel, mutation: request.action.mutation)
    }

    /// The user in the key is the one who asks: nobody acts for another.
    private static func key(
        of request: ActionRequest, in context: CommandContext
    ) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: request.messageTimetoken, type: request.type, value: request.value,
            uuid: context.author.userID)
    }
}
