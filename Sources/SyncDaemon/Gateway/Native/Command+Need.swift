// What a token has to allow for a command: one row each.

import EventModel

extension Command {
    /// What it asks of whom it is carried out for.
    ///
    /// - Parameter now: A cursor from long before it reads the past.
    func need(at now: Timetoken) -> Need {
        switch self {
        case .hello, .unsubscribe, .unfollow, .endLive, .ping, .token: .nothing
        case .follow(let request):
            Need(places: [
                request.selection.place(
                    having: .reading(request.actions, after: request.cursor, at: now))
            ])
        case .subscribe(let requests):
            Need(
                places: requests.map { request in
                    var reading = Rights.reading(
                        request.actions, after: request.cursor, at: now)
                    // It is told what stands before its window.
                    if request.window != nil { reading.formUnion(.history) }
                    return Need.Place(
                        kind: .channel, name: request.channel,
                        rights: request.isPresent ? reading.union(.presence) : reading)
                })
        case .repair(let request): .having([.read, .history], on: [request.channel])
        case .publish(let request): .having(.write, on: [request.channel])
        case .signal(let request): .having(.write, on: [request.channel])
        case .addAction(let request): .having(.react, on: [request.channel])
        case .removeAction(let request): .having(.unreact, on: [request.action.channel])
        case .editMessage(let request): .having(.write, on: [request.channel])
        case .deleteMessage(let request): .having(.write, on: [request.channel])
        case .deleteMessages(let request): .having(.delete, on: [request.channel])
        case .removeActions(let request): .having(.moderate, on: [request.channel])
        case .history(let query): .having(.history, on: [query.channel])
        case .older(let query): .having(.history, on: [query.channel])
        case .actions(let query) where query.live != nil: .live(in: query.channel)
        case .actions(let query): .having(.history, on: [query.channel])
        case .summaries(let query): .having(.history, on: [query.channel])
        case .markRead(let mark): .having(.read, on: [mark.channel])
        case .unread(let channels): .having(.history, on: channels)
        case .hereNow(let query): .having(.presence, on: [query.channel])
        case .whereNow(let userID): .having([], user: userID)
        case .setState(let channel, _): .having(.presence, on: [channel])
        case .getState(let channel, _): .having(.presence, on: [channel])
        case .changeGroup(let request): .changing(request.group, request.change)
        case .group(let name): .listing(name)
        case .directory(let query): .reading(query)
        case .changeDirectory(let request): .changing(request)
        }
    }
}
