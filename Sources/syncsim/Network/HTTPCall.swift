// One HTTP request on its way to a reactor, and its answer on the way back; both may get lost.

import Basis
import EventModel

@testable import SyncDaemon

/// A request of somebody with an SDK.
final class HTTPCall {
    let connection: SessionID
    let request: HTTPRequest
    private weak var reactor: SimulatedReactor?
    private weak var daemon: SimulatedDaemon?
    private unowned let world: World
    private let latency: UInt64
    /// The reactor begins with it.
    private let taken: (SimulatedDaemon) -> Void
    /// The daemon has written an answer, whoever will read it.
    private let written: (HTTPResponse) -> Void
    /// The caller hears of it; `nil`: the connection broke.
    private var heard: ((HTTPResponse?) -> Void)?
    private(set) var isAnswered = false

    /// Sends a request to some reactor; when there is none, the caller hears that soon.
    @discardableResult
    init(
        _ method: HTTPRequest.Method, _ target: String, in world: World,
        taken: @escaping (SimulatedDaemon) -> Void = { _ in },
        written: @escaping (HTTPResponse) -> Void = { _ in },
        heard: @escaping (HTTPResponse?) -> Void = { _ in }
    ) {
        self.world = world
        self.taken = taken
        self.written = written
        self.heard = heard
        request = HTTPRequest(method: method, target: target)
        connection = world.nextSession()
        latency = world.choices.span(Microseconds.millisecond, 400 * Microseconds.millisecond)
        guard let daemon = world.anyDaemon else {
            tell(nil)
            return
        }
        let reactor = world.choices.pick(daemon.reactors)
        (self.reactor, self.daemon) = (reactor, daemon)
        reactor.transport.add(self)
        world.scheduler.after(latency / 2) { [self] in
            if self.heard != nil { reactor.hear(.request(self)) }
        }
    }

    /// The reactor begins with it.
    func begin() {
        guard let daemon else { return }
        taken(daemon)
    }

    /// The daemon answers.
    func answer(_ response: HTTPResponse) {
        isAnswered = true
        written(response)
        tell(world.isEventful && world.choices.chance(3) ? nil : response)
    }

    /// The daemon's process is gone.
    func daemonDied() { tell(nil) }

    /// The caller's process is gone, or does not want to wait any longer.
    func hangUp() {
        heard = nil
        guard !isAnswered, let reactor else { return }
        world.scheduler.after(world.choices.span(0, 5 * Microseconds.second)) { [self] in
            if !isAnswered { reactor.hear(.hungUp(self)) }
        }
    }

    private func tell(_ response: HTTPResponse?) {
        world.scheduler.after(world.choices.span(latency / 4, latency)) { [self] in
            let heard = self.heard
            self.heard = nil
            heard?(response)
        }
    }
}
