// The thread that asks interceptors, and what reactors give to it.

import Basis
import EventModel
import Synchronization

/// The part of interceptors that any thread may hold.
final class InterceptorThread: Sendable {
    private struct State {
        var interceptors: [Interceptor] = []
        var queue = InterceptionQueue()
        /// Questions that came up since the thread looked.
        var new: [InterceptorQuestion] = []
        var figures: [String: InterceptorFigures] = [:]
        var isChanged = false
        /// Those that an operator says to ask now.
        var retried: Set<String> = []
        /// When all waiting ends, in milliseconds.
        var end: UInt64?
        var isStopping = false
    }

    private let state = Locked(State())
    /// Whether anything may wait: without interceptors a write costs one look at this.
    private let isUsed = Atomic(false)
    private let waker: Locked<SenderWaker?> = Locked(nil)
    private let thread: Locked<OSThread?> = Locked(nil)
    private let ledger: LedgerDoor
    private let log: Log

    /// Starts the thread.
    init(_ interceptors: [Interceptor], ledger: LedgerDoor, health: Health, log: Log) {
        (self.ledger, self.log) = (ledger, log)
        apply(interceptors)
        thread.withLock { thread in
            thread = OSThread(name: "interceptors") { [self] in run(health) }
        }
    }

    /// Changes who is asked from now on; what waits goes on as it began.
    func apply(_ interceptors: [Interceptor]) {
        state.withLock { state in
            (state.interceptors, state.isChanged) = (interceptors, true)
            let before = state.figures
            state.figures = [:]
            for interceptor in interceptors {
                let name = interceptor.name
                state.figures[name] = before[name] ?? InterceptorFigures()
                state.figures[name]?.url = interceptor.url
            }
            settle(state)
        }
        wake()
    }

    /// Takes a write before it goes to the ledger, on a reactor's thread.
    ///
    /// What waits goes on by itself, and who made it hears of it at its origin.
    func take(_ item: Intercepted) -> InterceptionQueue.Taken {
        guard isUsed.load(ordering: .acquiring) else { return .passes }
        let now = Clock.monotonicMilliseconds()
        let taken = state.withLock { state -> InterceptionQueue.Taken in
            guard !state.isStopping else { return .full }
            let interceptor = item.kind.flatMap { kind in
                state.interceptors.first { $0.isAsked(before: kind, in: item.channel) }
            }
            let taken = state.queue.take(item, asking: interceptor, at: now)
            // The reactor wakes the ledger at the end of its turn.
            if case .waits(let question?) = taken {
                comeUp([question], wakesLedger: false, &state)
            }
            return taken
        }
        if case .waits = taken, item.named == nil { wake() }
        return taken
    }

    /// Has questions asked, under the lock; first the ledger says whether it knows the answer.
    private func comeUp(
        _ questions: [InterceptorQuestion], wakesLedger: Bool, _ state: inout State
    ) {
        var waiting = Queue<InterceptorQuestion>()
        waiting.prepend(contentsOf: questions)
        while let question = waiting.popFirst() {
            guard let write = question.item.named else {
                state.new.append(question)
                continue
            }
            let request = LedgerDoor.Request.recall(write) { [self] in recalled(question, $0) }
            if !ledger.requests.put(request, wakesReader: wakesLedger) {
                let released = state.queue.decide(question, .unasked)
                answerOrLetGo(released.writes)
                waiting.prepend(contentsOf: released.questions)
            }
        }
    }

    /// On the ledger's thread.
    ///
    /// - Parameter answer: What a write was answered when it was carried out; `nil`: it is new.
    private func recalled(
        _ question: InterceptorQuestion, _ answer: Result<Reply, ProtocolError>?
    ) {
        state.withLock { state in
            // All that waited was answered.
            guard !state.isStopping else { return }
            guard let answer else {
                state.new.append(question)
                return
            }
            release(state.queue.answer(question, answer), &state)
        }
        if answer == nil { wake() }
    }

    /// As of now, by the interceptors' names.
    var figures: [String: InterceptorFigures] {
        state.withLock { state in
            var figures = state.figures
            for (name, count) in state.queue.waiting { figures[name]?.waiting = count }
            return figures
        }
    }

    /// Has one that fails asked again at once.
    ///
    /// - Returns: `false`: there is none of this name.
    func retry(_ name: String) -> Bool {
        let isThere = state.withLock { state in
            guard state.figures[name] != nil else { return false }
            state.retried.insert(name)
            return true
        }
        wake()
        return isThere
    }

    /// Refuses at a moment whatever still waits then, and ends the thread: the daemon is stopping.
    func drain(at milliseconds: UInt64) {
        state.withLock { $0.end = milliseconds }
        wake()
    }

    /// Ends the thread; what waits is never written.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
        thread.withLock { $0.take() }?.join()
    }

    private func wake() { waker.withLock { $0 }?.wake() }

    /// Nobody who then finds nothing to wait for comes before what was let go already.
    private func settle(_ state: State) {
        isUsed.store(!state.interceptors.isEmpty || !state.queue.isEmpty, ordering: .releasing)
    }

    // MARK: On the thread

    private func run(_ health: Health) {
        let sender = HTTPSender<InterceptorQuestion>()
        let waking = sender.waker
        waker.withLock { $0 = waking }
        var turns = InterceptorTurns()
        var watch = InterceptorWatch(health: health, log: log)
        while true {
            let (new, isChanged, names, retried, end) = state.withLock { state in
                defer { (state.new, state.isChanged, state.retried) = ([], false, []) }
                let names = Set(state.figures.keys)
                let mended = state.isChanged ? names : state.retried
                for name in mended { state.figures[name]?.state = .works }
                let end = state.isStopping ? 0 : state.end
                return (state.new, state.isChanged, names, state.retried, end)
            }
            if let end, end <= Clock.monotonicMilliseconds() { break }
            if isChanged {
                turns.forgetFailures()
                watch.keep(names)
            }
            for name in retried {
                turns.forgetFailures(of: name)
                watch.tryAnew(name)
            }
            if isChanged || !retried.isEmpty { watch.tell(turns) }
            for question in new { turns.add(question) }
            let now = Clock.monotonicMilliseconds()
            let step = turns.step(at: now)
            for question in step.asked { ask(question, by: sender) }
            for (question, verdict) in step.decided { decide(question, verdict) }
            let next = min(step.next ?? .max, end ?? .max)
            let wait = min(next - min(now, next), UInt64(Int32.max))
            for (question, outcome) in sender.wait(atMost: wait) {
                let answer = InterceptorWords.verdict(on: question, outcome)
                let isTooMuch = turns.ended(
                    question, InterceptorAnswer(answer), at: Clock.monotonicMilliseconds())
                let verdict = isTooMuch ? .unasked : answer
                let state = turns.state(of: question.interceptor.name)
                // Who hears of it finds the figures as they are then.
                decide(question, verdict, in: state)
                if watch.heed(verdict, of: question.interceptor, in: state, at: now) {
                    watch.tell(turns)
                }
            }
        }
        waker.withLock { $0 = nil }
        endWaiting()
    }

    private func endWaiting() {
        state.withLock { state in
            state.isStopping = true
            answerOrLetGo(state.queue.end(with: .draining))
        }
    }

    private func ask(
        _ question: InterceptorQuestion, by sender: HTTPSender<InterceptorQuestion>
    ) {
        let ticks = ledger.clock.ticks()
        let id = WebhookSignature.id("\(ticks)-\(question.number)", of: question.interceptor.name)
        let body = InterceptorWords.body(of: question, id: id)
        sender.send(
            DeliveryRequest(
                url: question.interceptor.url,
                headers: WebhookSignature.headers(
                    id: id, seconds: Int(ticks / 10_000_000), body: body,
                    secrets: question.interceptor.secrets),
                body: body, timeoutMilliseconds: question.interceptor.timeoutMilliseconds,
                answerBytesMax: Limits.interceptorAnswerBytesMax),
            for: question)
    }

    /// Lets go what waited for this answer, under the lock: so nothing that comes overtakes it.
    private func decide(
        _ question: InterceptorQuestion, _ verdict: InterceptorVerdict,
        in condition: InterceptorState? = nil
    ) {
        state.withLock { state in
            let name = question.interceptor.name
            state.figures[name]?.count(verdict)
            if let condition {
                state.figures[name]?.state = condition
                if let reason = verdict.fault { state.figures[name]?.reason = reason }
            }
            release(state.queue.decide(question, verdict), &state)
        }
    }

    private func release(_ released: InterceptionQueue.Released, _ state: inout State) {
        answerOrLetGo(released.writes)
        comeUp(released.questions, wakesLedger: true, &state)
        settle(state)
    }

    private func answerOrLetGo(_ writes: [InterceptionQueue.Decided]) {
        for (item, answer) in writes {
            if let answer {
                ledger.order.answer(item.origin, answer)
            } else {
                letGo(item)
            }
        }
    }

    private func letGo(_ item: Intercepted) {
        switch item {
        case .write(let write):
            if !ledger.requests.put(.write(write)) {
                ledger.order.answer(write.origin, .failure(.overloaded))
            }
        case .announcement(let announcement, let origin):
            let announced = ledger.order.announce(announcement)
            if let result = announced.result({ .published($0) }) {
                ledger.order.answer(origin, result)
            }
        }
    }
}
