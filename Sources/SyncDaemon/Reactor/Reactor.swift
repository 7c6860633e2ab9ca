// One thread, one event loop, and everything that happens on it.
//
// Nothing here but the handle is `Sendable`, on purpose: the compiler then proves that a session, a
// hub or a transport never leaves the thread that made it. Threads share nothing but mailboxes.

import Basis
import EventModel

/// The part of a reactor that any thread may hold.
final class Reactor: Sendable {
    let heartbeat = Heartbeat()
    private let mailbox = Mailbox<ReactorMessage>(capacity: Limits.reactorMailboxMax)

    /// Starts a reactor on a thread of its own; it runs until the process ends.
    ///
    /// - Parameters:
    ///   - makeCore: Runs on the new thread, so that its result need not be `Sendable`.
    ///   - ready: Called on the new thread: with an error when the reactor cannot run.
    ///   - drained: Called on the new thread once a drain is complete.
    init(
        number: Int, settings: TransportSettings, admission: Admission, log: Log,
        makeCore: @escaping @Sendable () -> ReactorCore,
        ready: @escaping @Sendable (TransportError?) -> Void,
        drained: @escaping @Sendable () -> Void
    ) {
        _ = OSThread(name: "reactor-\(number)") { [mailbox, heartbeat] in
            let loop = EventLoop()
            let core = makeCore()
            do throws(TransportError) {
                let transport = try WebSocketTransport(
                    on: loop, of: number, delegate: core, settings: settings, admission: admission,
                    log: log)
                core.hub.attach(transport)
                mailbox.setWake(loop.wake)
                ready(nil)
                run(loop, core, transport, mailbox, heartbeat, drained)
            } catch {
                ready(error)
            }
        }
    }

    /// Tells the reactor something; callable from any thread.
    func post(_ message: ReactorMessage) {
        // It drains its mailbox whole in each turn. So many messages mean that it hangs: our bug,
        // and no reason to lose events. systemd restarts the daemon and the devices resume from
        // their cursors.
        let isTaken = mailbox.post(message)
        precondition(isTaken, "A reactor has not run for \(Limits.reactorMailboxMax) messages.")
    }
}

/// The loop: what the sockets brought, what other threads said, then one flush.
private func run(
    _ loop: EventLoop, _ core: ReactorCore, _ transport: WebSocketTransport,
    _ mailbox: Mailbox<ReactorMessage>, _ heartbeat: Heartbeat, _ drained: () -> Void
) {
    var batch: [ReactorMessage] = []
    var hasReported = false
    var pacing = Pacing()
    core.beginTurn(at: Clock.monotonicMilliseconds())
    while true {
        loop.runOnce(
            waitingAtMost: pacing.sleep(
                at: Clock.monotonicMilliseconds(), atMost: 1000, due: core.hub.nextDue))
        let now = Clock.monotonicMilliseconds()
        core.beginTurn(at: now)
        transport.readOn()
        mailbox.drain(into: &batch)
        for message in batch {
            switch message {
            case .adopt(let handed):
                if let socket = handed.take() { transport.adopt(socket) }
            case .commit(let commit): core.receive(commit)
            case .read(let answer): core.receive(answer)
            case .presence(let answer): core.receive(answer)
            case .settings(let settings, let applied):
                core.apply(settings)
                transport.settings.allowedOrigins = settings.allowedOrigins
                applied()
            case .heartbeat: heartbeat.beat()
            case .drain(let deadline): core.drain(until: deadline)
            }
        }
        core.endReading()
        guard !pacing.holds(at: now) else { continue }
        let hadNews = core.hub.hasNews
        core.endTurn()
        let end = Clock.monotonicMilliseconds()
        pacing.flushed(from: now, to: end, leftEvents: hadNews && mailbox.count > 0)
        transport.endTurn(at: end)
        if core.isDrained, !hasReported {
            hasReported = true
            drained()
        }
    }
}
