// The reader threads: queries that miss memory go here, so that no thread with sockets waits for a
// disk.

import Basis
import EventModel
import Glibc
import Synchronization

/// Threads that each own a reader of the store.
///
/// A question is answered in steps of some milliseconds, and between them it stands in its lane
/// again, for whichever thread: no transaction stays open, and none of few dear questions has
/// others wait for its end.
final class ReaderPool: Sendable {
    /// One for each thread.
    ///
    /// A long read beats while SQLite makes progress with it.
    let heartbeats: [Heartbeat]
    private let lanes: Locked<ReaderLanes<Reading>>
    /// Says that there is something in the lanes; when it is full each thread will look.
    private let bell: WorkQueue<Void>
    private let count: Int
    private let steps = Atomic<UInt64>(0)
    private let counters: Counters

    /// What the threads share.
    struct Surroundings: Sendable {
        /// What says how far an answer reaches.
        let order: EventOrder
        /// What the threads keep between questions.
        let caches: ReaderCaches
        let counters: Counters
        /// Told of channels that cannot be read.
        let quarantine: Quarantine
        /// Told of what the store could not answer.
        let troubles: StoreTroubles
        /// Gets each answer.
        let receiver: any ReadReceiver
    }

    /// Starts the threads, which run until the process ends, and waits until each has its reader.
    ///
    /// A directory that is lost later makes refusals; to a reader without a file it would be the
    /// end.
    ///
    /// - Parameter fail: Called when a reader cannot be made. It must end the process.
    init(
        count: Int, makeReader: @escaping @Sendable () throws(StoreError) -> any StoreReader,
        surroundings: Surroundings, fail: @escaping @Sendable (StoreError) -> Void
    ) {
        self.count = count
        counters = surroundings.counters
        lanes = Locked(ReaderLanes(threads: count))
        bell = WorkQueue(capacity: count)
        heartbeats = (0..<count).map { _ in Heartbeat() }
        let made = WorkQueue<Void>(capacity: count)
        for (index, heartbeat) in heartbeats.enumerated() {
            _ = OSThread(name: "reader-\(index)") { [self] in
                let reader: any StoreReader
                do throws(StoreError) {
                    reader = try makeReader()
                } catch {
                    fail(error)
                    _ = made.put(())
                    return
                }
                _ = made.put(())
                reader.onProgress(heartbeat.beat)
                while true {
                    heartbeat.beat()
                    _ = bell.take(atMost: 1)
                    while var next = lanes.withLock({ $0.take() }) {
                        heartbeat.beat()
                        step(&next.item, next.ticket, reader, surroundings)
                    }
                }
            }
        }
        for _ in 0..<count { _ = made.take(atMost: 1) }
    }

    /// Asks the threads that have nothing to do to beat once; a busy one beats by itself.
    ///
    /// To be asked again until each has beaten: who falls asleep at this moment does not hear it.
    func requestHeartbeats() {
        bell.nudge()
    }

    /// Queues a question.
    ///
    /// - Returns: `false` when too many wait already, of all, of its tenant or of its session.
    func ask(_ request: ReadRequest) -> Bool {
        var request = request
        request.asked = Clock.monotonicMicroseconds()
        let reading = Reading(request)
        guard lanes.withLock({ $0.put(reading, request.ticket) }) else {
            counters.readsRefused.add()
            return false
        }
        _ = bell.put(())
        return true
    }

    /// How many steps were done so far, and how many questions wait although no thread is free.
    var progress: (steps: UInt64, waiting: Int) {
        let steps = self.steps.load(ordering: .relaxed)
        let open = backlog
        return (steps, open >= count ? open : 0)
    }

    /// Questions that have no answer yet.
    var backlog: Int { lanes.withLock { $0.openCount } }

    // MARK: Steps

    /// - Parameter reading: Not copied: it may hold a large channel.
    private func step(
        _ reading: inout Reading, _ ticket: ReaderTicket, _ reader: any StoreReader,
        _ surroundings: Surroundings
    ) {
        let begun = Clock.monotonicMicroseconds()
        let end = begun + Limits.readStepMicroseconds
        let outcome = reading.step(from: reader, surroundings.order, surroundings.caches) {
            Clock.monotonicMicroseconds() < end
        }
        let microseconds = Int(Clock.monotonicMicroseconds() - begun)
        steps.add(1, ordering: .relaxed)
        counters.readMicroseconds.add(microseconds)
        if ticket.lane.isDear { counters.dearReadMicroseconds.add(microseconds) }
        let released = surroundings.caches.repairs.takeReleased()
        let mayOthersGoOn = lanes.withLock { lanes in
            let isFree = lanes.step(ticket, took: microseconds)
            switch outcome {
            case .goesOn: lanes.putBack(reading, reading.ticket)
            case .done, .unwanted: lanes.close(ticket)
            case .waits: break
            }
            for request in released { lanes.putBack(Reading(request), request.ticket) }
            return isFree
        }
        if mayOthersGoOn || !released.isEmpty { _ = bell.put(()) }
        guard case .done(let answer) = outcome else { return }
        counters.reads.add()
        let request = reading.request
        counters.readTimes[request.query.kind]?.add(Clock.monotonicMicroseconds() - request.asked)
        if let failure = answer.failure {
            Self.report(failure, of: request, surroundings)
        } else {
            surroundings.troubles.read()
        }
        Self.wait(for: reader.seen, of: surroundings.order)
        surroundings.receiver.deliver(answer)
    }

    /// Waits until this daemon has heard of what another one committed: who is shown it must not
    /// hear of it as news later, nor be told of a state before it.
    ///
    /// A link over which nothing comes is cut before this gives up.
    private static func wait(for position: Timetoken, of order: EventOrder) {
        let end = Clock.monotonicMilliseconds() + UInt64(Limits.linkSilenceSeconds) * 1000
        while order.settled.durable < position, Clock.monotonicMilliseconds() < end {
            usleep(200)
        }
    }

    private static func report(
        _ failure: StoreError, of request: ReadRequest, _ surroundings: Surroundings
    ) {
        guard case .damaged = failure else { return surroundings.troubles.failedToRead(failure) }
        if case .changes(let start, _) = request.query {
            surroundings.quarantine.cannotRead(request.channel, after: start.messages)
        }
        let place: Quarantine.Place
        switch request.query {
        case .files, .file: place = .files
        default: place = .channel(request.channel)
        }
        surroundings.troubles.damaged(failure, in: place.description)
    }
}
