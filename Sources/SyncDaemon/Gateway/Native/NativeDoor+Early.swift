// Commands of devices that come from a daemon which is some milliseconds ahead of this one.

import EventModel

extension NativeDoor {
    /// Carries out what waited for this daemon to be as far as another one.
    func goOn(_ ready: EarlyWork<(command: Command, id: CommandID)>.Ready) {
        guard let session = hub.sessions[ready.client], !session.isClosing else { return }
        session.commandsInFlight -= ready.works.count
        // Another daemon is further, or this one will be.
        if ready.end == .behind { return hub.outlet.close(session, .behind) }
        for work in ready.works {
            do throws(ProtocolError) {
                if ready.end == .here, try isEarly(work.command, work.id, of: session) { continue }
                try carryOut(work.command, work.id, of: session)
            } catch {
                reply(.refused(error), to: work.id, of: session)
            }
        }
    }

    /// Carries a command out, or has it wait for its turn, as any other.
    private func carryOut(
        _ command: Command, _ id: CommandID, of session: Session
    ) throws(ProtocolError) {
        guard turnstile.admits(cost: turnCost(of: command, by: session), of: session.id) else {
            return try wait(with: command, id, of: session)
        }
        try handle(command, id, of: session)
    }

    /// Whether a command has to wait for this daemon to be as far as the one that gave its cursor,
    /// or behind one that does.
    func isEarly(
        _ command: Command, _ id: CommandID, of session: Session
    ) throws(ProtocolError) -> Bool {
        let ahead = command.cursorsShown.filter {
            hub.engine.isAhead($0.timetoken, of: $0.epoch)
        }
        guard early.holds(session.id) || !ahead.isEmpty else { return false }
        guard session.commandsInFlight < Limits.commandsInFlightMax else {
            throw .tooManyInFlight
        }
        let position = ahead.map(\.timetoken).max() ?? .zero
        guard
            early.wait(
                (command, id), for: position, mark: hub.engine.catchUp(), of: session.id, at: now)
        else { throw .overloaded }
        session.commandsInFlight += 1
        return true
    }
}

extension Command {
    /// From where on it wants events.
    fileprivate var cursorsShown: [GivenCursor] {
        switch self {
        case .subscribe(let requests):
            requests.compactMap { request in
                request.cursor.map { GivenCursor(timetoken: $0, epoch: request.epoch) }
            }
        case .follow(let request):
            request.cursor.map { [GivenCursor(timetoken: $0, epoch: request.epoch)] } ?? []
        default: []
        }
    }
}
