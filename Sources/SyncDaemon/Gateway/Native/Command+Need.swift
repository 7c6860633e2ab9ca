// What a token has to allow for a command: one row each.

import EventModel

extension Command {
    /// What it asks of whom it is carried out for.
    ///
    /// - Parameter now: A cursor from long before it reads the past.
    func need(at now: Timetoken) -> Need {
        switch self {
        case .hello, .unsubscribe, .ping, .token: .nothing
        case .subscribe(let requests):
            Need(
                places: requests.map { request in
                    Need.Place(
                        kind: .channel, name: request.channel,
                        rights: .reading(after: request.cursor, at: now))
                })
        case .repair(let request): .having([.read, .history], on: [request.channel])
        case .publish(let request): .having(.write, on: [request.channel])
        case .signal(let request): .having(.write, on: [request.channel])
        case .addAction(let request): .having(.react, on: [request.channel])
        case .removeAction(let request): .having(.unreact, on: [request.action.channel])
        case .deleteMessages(let request): .having(.delete, on: [request.channel])
        case .history(let query): .having(.history, on: [query.channel])
        case .actions(let query): .having(.history, on: [query.channel])
        }
    }
}
