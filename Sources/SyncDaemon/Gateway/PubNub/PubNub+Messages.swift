// publish, signal and fire: messages of an SDK.

import EventModel

extension PubNubRouter {
    static func publish(
        _ publication: PubNubRequest.Publication, in context: PubNubContext
    ) -> HTTPResponse? {
        let isStored = context.keyset.keepsMessages && publication.isStored ?? true
        guard isStored else {
            // A fire is for functions on the server, of which there are none.
            guard publication.isReplicated else { return position(in: context) }
            return context.announce(.message(publication.message), in: publication.channel)
        }
        return context.submit(
            .publish(
                publication.message,
                hoursKept: publication.hoursKept ?? context.keyset.hoursKept),
            in: publication.channel)
    }

    static func signal(
        _ message: Message, to channel: String, in context: PubNubContext
    ) -> HTTPResponse? {
        context.announce(.signal(message), in: channel)
    }
}
