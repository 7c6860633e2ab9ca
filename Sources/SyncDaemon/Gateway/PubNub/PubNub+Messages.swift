// publish, signal and fire: messages of an SDK.

import EventModel

extension PubNubRouter {
    static func publish(
        _ publication: PubNubRequest.Publication, in context: PubNubContext
    ) -> OperationOutcome {
        Operations.publish(
            PublishRequest(
                channel: publication.channel, message: publication.message,
                isStored: publication.isStored, hoursKept: publication.hoursKept),
            isReplicated: publication.isReplicated, by: context)
    }
}
