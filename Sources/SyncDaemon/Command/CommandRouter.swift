// Which file carries out which command: one row each.

import EventModel

/// Finds the operation for a command.
enum CommandRouter {
    /// Carries a command out, or starts to.
    ///
    /// - Returns: The answer; `nil` when it comes later.
    static func handle(
        _ command: Command, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        switch command {
        case .hello: .failure(.helloAgain)
        case .subscribe(let requests): subscribe(requests, in: context)
        case .unsubscribe(let channels): unsubscribe(channels, in: context)
        case .repair(let request): repair(request, in: context)
        case .publish(let request): publish(request, in: context)
        case .addAction(let request): addAction(request, in: context)
        case .removeAction(let request): removeAction(request, in: context)
        case .deleteMessages(let request): deleteMessages(request, in: context)
        case .history(let query): context.ask(.history(query), about: query.channel)
        case .actions(let query): context.ask(.actions(query), about: query.channel)
        case .ping: .success(.pong(Timetoken(rawValue: context.engine.wallTicks())))
        }
    }
}
