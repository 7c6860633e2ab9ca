// publish: a message for a channel.

import EventModel

extension CommandRouter {
    static func publish(
        _ request: PublishRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        context.submit(
            .publish(request.message), in: request.channel, mutation: request.mutation)
    }
}
