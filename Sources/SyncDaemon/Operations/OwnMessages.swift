// editMessage and deleteMessage: what authors make of their own messages.

import EventModel

extension Operations {
    static func editMessage(_ request: EditRequest, by caller: some Caller) -> OperationOutcome {
        let key = MessageAction.Key(
            messageTimetoken: request.messageTimetoken, type: MessageVersion.editedType,
            value: request.payload, uuid: caller.author.userID)
        return caller.submit(
            .edit(key, under: caller.settings(of: request.channel).reactions),
            in: request.channel, mutation: request.mutation)
    }

    static func deleteMessage(
        _ request: OwnDeletionRequest, by caller: some Caller
    ) -> OperationOutcome {
        // Of who names nobody nobody knows which messages are their own.
        if caller.isAnonymous,
            let refusal = caller.refusal(of: .having(.delete, on: [request.channel]))
        {
            return .refused(refusal)
        }
        guard caller.settings(of: request.channel).allowsDeleting else {
            return .refused(.deletingDisabled)
        }
        return caller.submit(
            .deleteMessage(request.messageTimetoken), in: request.channel,
            mutation: request.mutation)
    }
}

extension Caller {
    /// Whether the tenant asks who its callers are, and what this one showed does not say it.
    fileprivate var isAnonymous: Bool {
        switch credential {
        case .unguarded, .secretKey: false
        case .token, .authKey: !credential.namesUser
        }
    }
}
