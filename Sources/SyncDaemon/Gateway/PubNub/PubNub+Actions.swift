// Message actions of an SDK: add, remove, and pages of those that stand.

import EventModel

extension PubNubRouter {
    static func addAction(
        _ type: String, _ value: String, to message: Timetoken, of channel: String,
        in context: PubNubContext
    ) -> HTTPResponse? {
        let key = MessageAction.Key(
            messageTimetoken: message, type: type, value: value, uuid: context.request.userID)
        return context.submit(.add(key), in: channel)
    }

    static func removeAction(
        _ action: Timetoken, from message: Timetoken, of channel: String, in context: PubNubContext
    ) -> HTTPResponse? {
        context.submit(
            .removeAction(
                messageTimetoken: message, actionTimetoken: action,
                userID: context.request.userID),
            in: channel)
    }

    static func actions(
        _ page: PubNubRequest.ActionsPageRequest, in context: PubNubContext
    ) -> HTTPResponse? {
        var query = ActionsQuery(
            channel: page.channel, after: page.end?.predecessor, limit: page.limit)
        query.before = page.start
        query.fromNewest = true
        return context.ask(.actions(query), about: page.channel)
    }
}

extension Timetoken {
    /// The position just before: turns an inclusive bound into an exclusive one.
    var predecessor: Timetoken { Timetoken(rawValue: rawValue == 0 ? 0 : rawValue - 1) }
}
