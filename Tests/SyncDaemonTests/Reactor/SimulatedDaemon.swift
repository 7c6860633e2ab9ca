// The whole daemon without threads: real reactors, a real ledger, and queues that a generator
// drains.

import Basis
import EventModel

@testable import SyncDaemon

/// One reactor with what waits for it.
final class SimulatedReactor {
    enum SocketEvent {
        case open(SessionID, query: [String: String])
        case text(SessionID, String)
        case canWrite(SessionID)
        case closed(SessionID)
        case poll(PollRequest)
        case cancelPoll(SessionID)
    }

    /// What a poll was answered with.
    struct PollAnswer {
        let session: SessionID
        let events: [PolledEvent]
        let cursor: Timetoken
    }

    enum Message {
        case commit(Commit)
        case read(ReadAnswer)
    }

    let core: ReactorCore
    let transport = FakeTransport()
    var socketEvents: [SocketEvent] = []
    var messages: [Message] = []
    /// Answers that no poller has taken yet.
    var pollAnswers: [PollAnswer] = []
    /// Called before a turn: whether it empties the mailbox.
    var willHear: (Bool) -> Void = { _ in }
    private var milliseconds: UInt64 = 0

    init(core: ReactorCore) {
        self.core = core
        core.hub.attach(transport)
        core.hub.answerPoll = { [unowned self] poll, events, cursor in
            pollAnswers.append(
                PollAnswer(session: poll.session, events: events, cursor: cursor))
        }
    }

    /// One turn of its loop, as `Reactor` runs it.
    func turn(after milliseconds: Int, sockets: Int, messages: Int) {
        self.milliseconds += UInt64(milliseconds)
        willHear(self.messages.count <= messages)
        core.beginTurn(at: self.milliseconds)
        for event in socketEvents.takeFirst(sockets) {
            switch event {
            case .open(let id, let query): core.sessionDidOpen(id, query: query)
            case .text(let id, let text):
                let bytes = Array(text.utf8)
                core.session(id, didReceive: bytes.span.bytes)
            case .canWrite(let id): core.sessionCanWrite(id)
            case .closed(let id): core.sessionDidClose(id)
            case .poll(let request): core.hub.open(request)
            case .cancelPoll(let id): core.hub.forgetPoll(of: id)
            }
        }
        for message in self.messages.takeFirst(messages) {
            switch message {
            case .commit(let commit): core.receive(commit)
            case .read(let answer): core.receive(answer)
            }
        }
        core.endTurn()
    }
}

/// Everything behind the sockets.
final class SimulatedDaemon {
    private final class Queues {
        var writes: [Write] = []
        var questions: [ReadRequest] = []
        /// By reactor: whether its mailbox is empty.
        var isHeard: [Bool] = []
        let steps = Locked<[Commit]>([])
        let asksForCeiling = Locked(false)
        let wall = Locked<UInt64>(1000)
    }

    let store: MemoryStore
    private let interests = InterestTable()
    private(set) var reactors: [SimulatedReactor] = []
    private(set) var problems: [String] = []
    /// Every signal, in order.
    private(set) var signals: [Envelope] = []
    private let queues: Queues
    private let ledger: Ledger
    private let order: EventOrder
    private let reader: any StoreReader
    private let repairs: RepairCache
    private var answers: [ReadAnswer] = []
    private var model = LedgerModel()

    /// - Parameters:
    ///   - questionsMax: Beyond so many waiting questions the readers are overloaded.
    ///   - tombstoneTicksKept: How long a removed action is remembered.
    init(
        reactorCount: Int, sendQueueBytesMax: Int, questionsMax: Int, tombstoneTicksKept: UInt64,
        secret: DigestSecret
    ) throws {
        store = MemoryStore(secret: secret)
        let queues = Queues()
        queues.isHeard = Array(repeating: true, count: reactorCount)
        let (steps, wall, asks) = (queues.steps, queues.wall, queues.asksForCeiling)
        self.queues = queues
        // Tombstones age with every write, too, so that there are enough old ones.
        let anchor = { [store] in
            let now = max(wall.withLock { $0 }, store.last.rawValue)
            return ClockAnchor(boot: "", uptime: now, ticks: wall.withLock { $0 }, age: now)
        }
        ledger = Ledger(store: store, tombstoneTicksKept: tombstoneTicksKept, anchor: anchor) {
            wall.withLock { $0 }
        }
        let order = EventOrder(
            after: store.last, ceiling: store.clock.ceiling,
            wallTicks: { wall.withLock { $0 } },
            publish: { step in steps.withLock { $0.append(step) } },
            askForCeiling: { asks.withLock { $0 = true } })
        self.order = order
        reader = try store.makeReader()
        repairs = RepairCache(secret: store.secret)
        let (epochs, secret) = (Epochs(store: store.epoch, runs: store.runs), store.secret)
        reactors = (0..<reactorCount).map { number in
            let engine = StandInEngine(
                reactor: number, epoch: epochs.text, began: store.last, secret: secret,
                onSubmit: { write in
                    guard queues.writes.count < 30 else { return false }
                    queues.writes.append(write)
                    return true
                },
                onAnnounce: { order.announce($0) },
                onAsk: { question in
                    guard queues.questions.count < questionsMax else { return false }
                    queues.questions.append(question)
                    return true
                },
                onAskPresence: { _ in true },
                onFollow: { [interests] channel in
                    interests.add(channel, of: number)
                    return order.frontier
                },
                onUnfollow: { [interests] in interests.remove($0, of: number) },
                onNewest: { order.visible },
                // Turns here may leave messages behind: only an empty mailbox says that all was
                // heard.
                onSettled: { queues.isHeard[number] ? order.settled : (.zero, .zero) },
                onTombstoneFloor: { [store] in store.tombstoneFloor },
                onDeletionFloor: { [store] in store.deletionFloor },
                onJudge: { epochs.judge($0, $1, newest: order.visible) },
                onFreshCursor: { order.now(for: $0) },
                onWallTicks: { wall.withLock { $0 } })
            let hub = Hub(
                engine: engine, settings: HubSettings(sendQueueBytesMax: sendQueueBytesMax),
                counters: Counters())
            return SimulatedReactor(
                core: ReactorCore(
                    hub: hub, counters: Counters(), commandsPerSecondMax: 1_000_000))
        }
        for (number, reactor) in reactors.enumerated() {
            reactor.willHear = { queues.isHeard[number] = $0 }
        }
    }

    /// A cursor as of now.
    func freshCursor() -> Timetoken {
        guard case .at(let timetoken) = order.now() else { return order.visible }
        return timetoken
    }

    /// Lets the wall clock step, in either direction.
    func moveClock(by ticks: Int) {
        queues.wall.withLock { $0 = UInt64(max(1, Int($0) + ticks)) }
    }

    /// Commits up to `count` of the writes that wait, and tells each reactor.
    func commit(_ count: Int) {
        raiseCeiling()
        let writes = queues.writes.takeFirst(count)
        guard !writes.isEmpty else { return }
        var failure: StoreError?
        let commit = ledger.commit(writes, after: order.reserve(), failure: &failure)
        problems += model.check(commit, of: writes)
        order.finish(commit)
        publishSteps()
    }

    /// Sends a signal to a channel, between two commits.
    func signal(in channel: Channel, saying text: String) {
        let announcement = Announcement(
            channel: channel, uuid: "signaller", event: .signal(Message(payload: text)),
            origin: nil)
        if order.announce(announcement) == .refused { problems.append("a signal was refused") }
        publishSteps()
        raiseCeiling()
    }

    /// Has the ledger raise the ceiling when the order asks for it.
    func raiseCeiling() {
        guard
            queues.asksForCeiling.withLock({ asks in
                defer { asks = false }; return asks
            })
        else { return }
        var failure: StoreError?
        order.raise(to: ledger.raiseCeiling(above: order.visible, failure: &failure))
        publishSteps()
    }

    private func publishSteps() {
        for step in queues.steps.withLock({ $0 }) {
            signals += step.events.filter { !$0.isStored }
            let wanted = interests.reactors(wanting: step.events)
            let parts = step.parts(for: reactors.count, wanted: wanted)
            for (number, reactor) in reactors.enumerated() {
                if let part = parts[number] { reactor.messages.append(.commit(part)) }
            }
        }
        queues.steps.withLock { $0 = [] }
    }

    /// Answers a question that waits; the answer is not delivered yet.
    func read(_ choices: inout SeededGenerator) {
        guard !queues.questions.isEmpty else { return }
        let question = queues.questions.remove(at: choices.below(queues.questions.count))
        answers.append(question.answer(from: reader, order, repairs: repairs))
    }

    /// Delivers any of the answers, so that they overtake each other.
    func deliver(_ choices: inout SeededGenerator) {
        guard !answers.isEmpty else { return }
        let answer = answers.remove(at: choices.below(answers.count))
        reactors[answer.asker.reactor].messages.append(.read(answer))
    }

    /// Whether nothing is under way anywhere.
    var isQuiet: Bool {
        queues.writes.isEmpty && queues.questions.isEmpty && answers.isEmpty
            && reactors.allSatisfy {
                $0.socketEvents.isEmpty && $0.messages.isEmpty && $0.pollAnswers.isEmpty
            }
    }

    /// What a device that reads everything at once shows.
    func truth(of channel: String) throws -> DeviceCache {
        var cache = DeviceCache()
        for page in try reader.allPages(in: Channel(channel), after: .zero) {
            cache.apply(
                Batch(
                    channel: Channel(channel), cursor: page.through, envelopes: page.envelopes))
        }
        return cache
    }
}

/// What each write must do, decided a second time from nothing but their order.
private struct LedgerModel {
    private struct Place: Hashable {
        let channel: Channel
        let key: MessageAction.Key
    }

    private var done: Set<[String]> = []
    private var standing: [Place: Timetoken] = [:]

    mutating func check(_ commit: Commit, of writes: [Write]) -> [String] {
        var events = commit.events[...]
        for write in writes {
            if let mutation = write.mutation {
                let name = [write.author.userID, write.author.deviceID, mutation]
                guard done.insert(name).inserted else { continue }
            }
            switch write.operation {
            case .publish(let message, _):
                guard events.popFirst()?.event == .message(message) else { return ["\(write)"] }
            case .add(let key):
                let place = Place(channel: write.channel, key: key)
                guard standing[place] == nil else { continue }
                guard let event = events.popFirst(), event.channel == write.channel,
                    event.event
                        == .actionAdded(MessageAction(key: key, actionTimetoken: event.timetoken))
                else { return ["\(write)"] }
                standing[place] = event.timetoken
            case .remove(let key, let observed):
                let place = Place(channel: write.channel, key: key)
                guard let added = standing[place], observed ?? added == added else { continue }
                standing[place] = nil
                let action = MessageAction(key: key, actionTimetoken: added)
                guard events.popFirst()?.event == .actionRemoved(action) else {
                    return ["\(write)"]
                }
            case .removeAction, .deleteMessages, .changeGroup:
                return ["\(write) is none that a native session can ask for"]
            }
        }
        return events.isEmpty ? [] : ["events that nobody asked for: \(events)"]
    }
}

extension Array {
    /// Removes and returns up to `count` elements from the front.
    fileprivate mutating func takeFirst(_ count: Int) -> [Element] {
        let taken = Array(prefix(count))
        removeFirst(taken.count)
        return taken
    }
}
