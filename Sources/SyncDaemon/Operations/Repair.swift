// repair: coded symbols of a device's actions, answered with what makes them the daemon's.

import EventModel

extension Operations {
    static func repair(
        _ request: RepairRequest, for caller: SessionCaller
    ) -> OperationOutcome {
        let channel = caller.channel(request.channel)
        guard let subscription = caller.session.subscriptions[channel] else {
            return .refused(.noRepair)
        }
        let taken = caller.hub.take(request, for: subscription, command: caller.id)
        switch taken {
        case .success(let query): return caller.ask(.repair(query), about: request.channel)
        case .failure(.step(let step)): return .done(.repair(step))
        case .failure(.error(let error)): return .refused(error)
        }
    }
}
