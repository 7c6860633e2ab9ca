// One thread, one event loop, and everything that happens on it.
//
// Nothing here but the handle is `Sendable`, on purpose: the compiler then proves that a session, a
// hub or a transport never leaves the thread that made it. Threads share nothing but mailboxes.

import Basis
import EventModel

/// The part of a reactor that any thread may hold.
final class Reactor: Sendable {
    let heartbeat = Heartbeat()

    /// Starts a reactor on a thread of its own; it runs until the process ends.
    ///
    /// - Parameters:
    ///   - engine: What it asks; it knows the reactor's number.
    ///   - mailbox: What other threads tell it by.
    ///   - started: Gets `nil` once it runs, or why it cannot.
    ///   - drained: Gets its number once a drain is complete.
    init(
        engine: any Engine & Sendable, mailbox: Mailbox<ReactorMessage>,
        settings: ReactorSettings, recentBytesMax: Int, unfinishedBytesMax: Int,
        counters: Counters, admission: Admission, accounts: Accounts, log: Log,
        routes: HTTPRoutes, files: FileService?,
        started: WorkQueue<TransportError?>, drained: WorkQueue<Int>
    ) {
        _ = OSThread(name: "reactor-\(engine.reactor)") {
            let loop = EventLoop()
            let core = ReactorCore(
                engine: engine, settings: settings, recentBytesMax: recentBytesMax,
                mailbox: mailbox, accounts: accounts, counters: counters, log: log, routes: routes,
                files: files)
            do throws(TransportError) {
                let transport = try WebSocketTransport(
                    on: loop, of: engine.reactor, sessions: core.native,
                    requests: core.http,
                    settings: settings.transport, admission: admission,
                    unsent: accounts.unsent, unfinishedBytesMax: unfinishedBytesMax,
                    milliseconds: Clock.monotonicMilliseconds, counters: counters, log: log)
                core.attach(transport, at: Clock.monotonicMilliseconds())
                mailbox.setWake(loop.wake)
                _ = started.put(nil)
                run(loop, core, transport, mailbox, counters) {
                    _ = drained.put(engine.reactor)
                }
            } catch {
                _ = started.put(error)
            }
        }
    }
}

/// The loop: it sleeps until something happens or is due, and takes a turn.
private func run(
    _ loop: EventLoop, _ core: ReactorCore, _ transport: WebSocketTransport,
    _ mailbox: Mailbox<ReactorMessage>, _ counters: Counters, _ drained: () -> Void
) {
    var hasReported = false
    var pacing = Pacing()
    var clock = TurnClock(at: Clock.monotonicNanoseconds(), idle: loop.idleNanoseconds)
    while true {
        counters.turns.add(
            clock.endTurn(at: Clock.monotonicNanoseconds(), idle: loop.idleNanoseconds))
        loop.runOnce(
            waitingAtMost: pacing.sleep(
                at: Clock.monotonicMilliseconds(), atMost: 1000, due: core.nextDue))
        let now = Clock.monotonicMilliseconds()
        guard let hadNews = core.turn(at: now, isHeld: pacing.holds(at: now)) else { continue }
        let end = Clock.monotonicMilliseconds()
        pacing.flushed(from: now, to: end, leftEvents: hadNews && mailbox.count > 0)
        transport.endTurn(at: end)
        if let made = core.takeOldestNews() {
            let left = Clock.monotonicMicroseconds()
            counters.deliveryTimes.add(left - made)
            core.tellTraces(at: left)
        }
        if core.isDrained, !hasReported {
            hasReported = true
            drained()
        }
    }
}
