// publish and signal: a message for a channel, stored or not.

import EventModel

extension Operations {
    /// - Parameter isReplicated: Whether subscribers get what is not stored: a `fire` is for
    ///   functions on the server, of which there are none.
    static func publish(
        _ request: PublishRequest, isReplicated: Bool = true, by caller: some Caller
    ) -> OperationOutcome {
        // Also of what is neither stored nor sent to anybody.
        if let refusal = caller.refusal(changing: request.channel) { return .refused(refusal) }
        let settings = caller.settings(of: request.channel)
        guard settings.keepsMessages, request.isStored ?? true else {
            guard isReplicated else { return position(for: caller) }
            return caller.announce(.message(request.message), in: request.channel)
        }
        return caller.submit(
            .publish(request.message, hoursKept: request.hoursKept ?? settings.hoursKept),
            in: request.channel, mutation: request.mutation, hoursAsked: request.hoursKept)
    }

    static func signal(_ message: Message, to channel: String, by caller: some Caller)
        -> OperationOutcome
    {
        caller.announce(.signal(message), in: channel)
    }
}
