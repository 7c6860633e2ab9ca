// publish: a message for a channel, stored or not.

import EventModel

extension CommandRouter {
    static func publish(
        _ request: PublishRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        let keyset = context.keyset
        guard keyset.keepsMessages, request.isStored ?? true else {
            return context.announce(.message(request.message), in: request.channel)
        }
        return context.submit(
            .publish(
                request.message, hoursKept: request.hoursKept ?? keyset.hoursKept),
            in: request.channel, mutation: request.mutation, hoursAsked: request.hoursKept)
    }
}
