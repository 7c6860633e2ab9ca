// removeActions: what a moderator takes away, whoever said it.

import EventModel

extension Operations {
    static func removeActions(
        _ request: ClearingRequest, by caller: some Caller
    ) -> OperationOutcome {
        let rules = caller.settings(of: request.channel).reactions
        return caller.submit(
            .clear(request.clearing, under: rules), in: request.channel,
            mutation: request.mutation)
    }
}
