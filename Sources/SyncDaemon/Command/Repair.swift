// repair: coded symbols of a device's actions, answered with what makes them the daemon's.

import EventModel

extension CommandRouter {
    static func repair(
        _ request: RepairRequest, in context: CommandContext
    ) -> Result<Reply, ProtocolError>? {
        let channel = context.channel(request.channel)
        guard let subscription = context.session.subscriptions[channel] else {
            return .failure(.noRepair)
        }
        switch context.hub.take(request.run, for: subscription, command: context.id) {
        case .success(let symbols): return context.ask(.repair(symbols), about: request.channel)
        case .failure(.step(let step)): return .success(.repair(step))
        case .failure(.error(let error)): return .failure(error)
        }
    }
}
