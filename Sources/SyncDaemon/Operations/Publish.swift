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
        guard !isUnstored(request, for: caller) else {
            guard isReplicated else { return position(for: caller) }
            return caller.announce(.message(request.message), in: request.channel)
        }
        let settings = caller.settings(of: request.channel)
        return caller.submit(
            .publish(request.message, hoursKept: request.hoursKept ?? settings.hoursKept),
            in: request.channel, mutation: request.mutation, hoursAsked: request.hoursKept)
    }

    /// Whether a command has its place in the order before it is answered, which is before that of
    /// stored writes that came earlier and wait for their commit.
    static func isUnstored(_ command: Command, for caller: some Caller) -> Bool {
        switch command {
        case .signal: true
        case .publish(let request): isUnstored(request, for: caller)
        default: false
        }
    }

    private static func isUnstored(_ request: PublishRequest, for caller: some Caller) -> Bool {
        !(request.isStored ?? true) || !caller.settings(of: request.channel).keepsMessages
    }

    static func signal(_ message: Message, to channel: String, by caller: some Caller)
        -> OperationOutcome
    {
        caller.announce(.signal(message), in: channel)
    }
}
