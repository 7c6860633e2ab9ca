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
        switch caller.hub.take(request.run, for: subscription, command: caller.id) {
        case .success(let symbols): return caller.ask(.repair(symbols), about: request.channel)
        case .failure(.step(let step)): return .done(.repair(step))
        case .failure(.error(let error)): return .refused(error)
        }
    }
}
