// addAction and removeAction: reactions and everything shaped like them; and pages of them.

import EventModel

extension Operations {
    static func addAction(_ request: ActionRequest, by caller: some Caller) -> OperationOutcome {
        caller.submit(
            .add(
                key(of: request, by: caller), score: request.score,
                under: rules(of: request, by: caller)),
            in: request.channel, mutation: request.mutation)
    }

    static func removeAction(_ request: RemovalRequest, by caller: some Caller) -> OperationOutcome
    {
        caller.submit(
            .remove(
                key(of: request.action, by: caller), observed: request.actionTimetoken,
                under: rules(of: request.action, by: caller)),
            in: request.action.channel, mutation: request.action.mutation)
    }

    /// Removes the action that was added at a moment, if it is the caller's own.
    static func removeAction(
        addedAt action: Timetoken, to message: Timetoken, in channel: String, by caller: some Caller
    ) -> OperationOutcome {
        caller.submit(
            .removeAction(
                messageTimetoken: message, actionTimetoken: action, userID: caller.author.userID,
                under: caller.settings(of: channel).reactions),
            in: channel)
    }

    static func actions(_ query: ActionsQuery, for caller: some Caller) -> OperationOutcome {
        let rules = caller.settings(of: query.channel).reactions
        return caller.ask(.actions(query.named(under: rules)), about: query.channel)
    }

    private static func rules(
        of request: ActionRequest, by caller: some Caller
    ) -> ReactionRules {
        caller.settings(of: request.channel).reactions
    }

    /// The user in the key is the one who asks: nobody acts for another.
    private static func key(
        of request: ActionRequest, by caller: some Caller
    ) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: request.messageTimetoken, type: request.type, value: request.value,
            uuid: caller.author.userID)
    }
}

extension ActionsQuery {
    /// The query by every name that what it asks for may stand under: the one that is asked for,
    /// as what was there before the rules still has it, and the one that it means now.
    func named(under rules: ReactionRules) -> ActionsQuery {
        var query = self
        query.types = Self.both(types) { rules.canonical(type: $0) }
        let isAboutReactions =
            types.isEmpty || query.types.contains { ExactText($0) == ExactText(ReactionRules.type) }
        if isAboutReactions {
            query.values = Self.both(values) {
                rules.canonical(type: ReactionRules.type, value: $0).value
            }
        }
        return query
    }

    private static func both(_ texts: [String], _ canonical: (String) -> String) -> [String] {
        var seen: Set<ExactText> = []
        return (texts + texts.map(canonical)).filter { seen.insert(ExactText($0)).inserted }
    }
}
