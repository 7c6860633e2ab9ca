// The reader threads: queries that miss memory go here, so that no thread with sockets waits for a
// disk.

import Basis
import EventModel
import Synchronization

/// One question about the committed state.
struct ReadRequest: Sendable {
    enum Query: Sendable {
        case changes(from: ChangeStart)
        /// The channel's digest, and as of when.
        case state
        /// How a device differs whose symbols these are, from index 0 on.
        case repair(SymbolRun)
        /// What a long poll missed, in channels and wildcards.
        case backlog([Channel], after: Timetoken)
        case history(HistoryQuery)
        case actions(ActionsQuery)
        /// Of several channels of the request's keyset; the request's own channel plays no part.
        case histories([HistoryQuery])
        /// As above.
        case messageCounts([CountQuery])
    }

    let asker: Asker
    let channel: Channel
    let query: Query
}

/// How many messages came into a channel after a position.
struct CountQuery: Hashable, Sendable {
    var channel: String
    /// Exclusive.
    var after: Timetoken
}

/// An event with its channel, for those who asked about several.
struct ChannelEvent: Sendable {
    let channel: Channel
    let envelope: EncodedEnvelope
}

/// What a reader found.
struct ReadAnswer: Sendable {
    enum Result: Sendable {
        case reply(Swift.Result<Reply, ProtocolError>)
        case changes(EncodedPage)
        case state(Digest, at: Timetoken)
        case repair(RepairOutcome)
        /// What a poll missed; nothing else can come up to `through`.
        case backlog([ChannelEvent], through: Timetoken)
        /// What was deleted after the start is forgotten: the client has to come again.
        case tooOld
        /// The changes or the state could not be read.
        case failed(StoreError)
    }

    let asker: Asker
    let channel: Channel
    let result: Result
    /// Why there is no other answer, when the store failed.
    var failure: StoreError?
}

/// Where the readers' answers go.
protocol ReadReceiver: Sendable {
    /// Called on a reader's thread.
    func deliver(_ answer: ReadAnswer)
}

/// Threads that each own a reader of the store.
final class ReaderPool: Sendable {
    /// One for each thread.
    ///
    /// A long read beats while SQLite makes progress with it.
    let heartbeats: [Heartbeat]
    private let requests = WorkQueue<ReadRequest>(capacity: Limits.readerQueueMax)
    private let count: Int
    private let asked = Atomic<Int>(0)
    private let answered = Atomic<Int>(0)

    /// Starts the threads; they run until the process ends.
    ///
    /// - Parameters:
    ///   - order: What says how far an answer reaches.
    ///   - repairs: What the threads share for repairs.
    ///   - quarantine: Told of channels that cannot be read.
    ///   - troubles: Told of what the store could not answer.
    ///   - receiver: Gets each answer.
    ///   - fail: Called when a reader cannot be made. It must end the process.
    init(
        count: Int, makeReader: @escaping @Sendable () throws(StoreError) -> any StoreReader,
        order: EventOrder, repairs: RepairCache, counters: Counters, quarantine: Quarantine,
        troubles: StoreTroubles, receiver: any ReadReceiver,
        fail: @escaping @Sendable (StoreError) -> Void
    ) {
        self.count = count
        heartbeats = (0..<count).map { _ in Heartbeat() }
        for (index, heartbeat) in heartbeats.enumerated() {
            _ = OSThread(name: "reader-\(index)") { [self] in
                let reader: any StoreReader
                do throws(StoreError) { reader = try makeReader() } catch { return fail(error) }
                reader.onProgress(heartbeat.beat)
                while true {
                    heartbeat.beat()
                    for request in requests.take(atMost: 1) {
                        counters.reads.add()
                        let answer = request.answer(from: reader, order, repairs: repairs)
                        if let failure = answer.failure {
                            Self.report(failure, of: request, quarantine, troubles)
                        } else {
                            troubles.read()
                        }
                        receiver.deliver(answer)
                        answered.add()
                    }
                }
            }
        }
    }

    /// Asks the threads that have nothing to do to beat once; a busy one beats by itself.
    ///
    /// To be asked again until each has beaten: who falls asleep at this moment does not hear it.
    func requestHeartbeats() {
        requests.nudge()
    }

    private static func report(
        _ failure: StoreError, of request: ReadRequest, _ quarantine: Quarantine,
        _ troubles: StoreTroubles
    ) {
        guard case .damaged = failure else { return troubles.failedToRead(failure) }
        if case .changes(let start) = request.query {
            quarantine.cannotRead(request.channel, after: start.messages)
        }
        troubles.damaged(failure, in: Quarantine.Place.channel(request.channel).description)
    }

    /// Queues a question.
    ///
    /// - Returns: `false` when too many wait already.
    func ask(_ request: ReadRequest) -> Bool {
        guard requests.put(request) else { return false }
        asked.add()
        return true
    }

    /// How many questions were answered so far, and how many wait although no thread is free.
    var progress: (answered: Int, waiting: Int) {
        let answered = self.answered.value
        let open = asked.value - answered
        return (answered, open >= count ? open : 0)
    }

    /// Questions that wait now.
    var backlog: Int { requests.count }
}

extension ReadRequest {
    /// Answers on the calling thread.
    func answer(
        from reader: any StoreReader, _ order: EventOrder, repairs: RepairCache
    ) -> ReadAnswer {
        do throws(StoreError) {
            return ReadAnswer(
                asker: asker, channel: channel, result: try result(from: reader, order, repairs))
        } catch {
            let result: ReadAnswer.Result
            switch query {
            case .changes, .state, .backlog: result = .failed(error)
            default: result = .reply(.failure(error.refusal))
            }
            return ReadAnswer(asker: asker, channel: channel, result: result, failure: error)
        }
    }

    private func result(
        from reader: any StoreReader, _ order: EventOrder, _ repairs: RepairCache
    ) throws(StoreError) -> ReadAnswer.Result {
        switch query {
        case .changes(let start):
            // Before the read: then the read sees everything up to it.
            let visible = order.visible
            let page = try reader.changes(in: channel, from: start)
            guard !page.isTooOld else { return .tooOld }
            return .changes(
                EncodedPage(
                    events: page.envelopes.map(EncodedEnvelope.init), cursor: page.through,
                    through: page.isComplete ? max(page.through, visible) : page.through,
                    state: page.digest, asOf: page.asOf))
        case .state:
            let state = try reader.digest(of: channel)
            return .state(state.digest, at: state.cursor)
        case .repair(let symbols):
            return .repair(try repairs.outcome(of: symbols, in: channel, from: reader))
        case .backlog(let channels, let cursor):
            return try backlog(of: channels, after: cursor, from: reader, order)
        case .history(let query):
            return .reply(.success(.history(try reader.history(query, in: channel))))
        case .actions(let query):
            return .reply(.success(.actions(try reader.actions(query, in: channel))))
        case .histories(let queries):
            var histories: [ChannelHistory] = []
            for query in queries {
                let page = try reader.history(query, in: sibling(query.channel))
                histories.append(ChannelHistory(channel: query.channel, page: page))
            }
            return .reply(.success(.histories(histories)))
        case .messageCounts(let queries):
            let counts = try reader.messageCounts(
                queries.map { (sibling($0.channel), $0.after) })
            return .reply(
                .success(
                    .messageCounts(
                        zip(queries, counts).map {
                            MessageCount(channel: $0.channel, count: $1)
                        })))
        }
    }

    /// Stored and unstored events of several channels, in one order.
    private func backlog(
        of channels: [Channel], after cursor: Timetoken, from reader: any StoreReader,
        _ order: EventOrder
    ) throws(StoreError) -> ReadAnswer.Result {
        // Before the read: then the read sees everything up to `visible`, and nothing that is not
        // stored can come up to there either.
        let (remembered, visible) = order.unstored()
        let wanted = Set(channels)
        let unstored = remembered.events(after: cursor, limit: Limits.pollEventsMax) { channel in
            wanted.contains(channel) || channel.wildcards.contains(where: wanted.contains)
        }
        let stored = try reader.backlog(
            Interest.stored(of: channels), after: cursor, limit: Limits.pollEventsMax)
        // Over too many channels there is no catching up: the poll goes on from now.
        let cutAt = stored.flatMap { $0.isComplete ? nil : $0.through }
        var through = cutAt.map { min($0, visible) } ?? visible
        if unstored.count == Limits.pollEventsMax, let last = unstored.last {
            through = min(through, last.timetoken)
        }
        let events = ((stored?.envelopes ?? []) + unstored).filter { $0.timetoken <= through }
            .sorted { $0.timetoken < $1.timetoken }
        return .backlog(
            events.map { ChannelEvent(channel: $0.channel, envelope: EncodedEnvelope($0)) },
            through: through)
    }

    /// A channel of the request's keyset.
    private func sibling(_ name: String) -> Channel {
        Channel(name, keyset: channel.keyset)
    }
}

extension Interest {
    /// What a store can hold of these channels and wildcards: no presence.
    fileprivate static func stored(of channels: [Channel]) -> [Interest] {
        channels.filter { !$0.isPresence }.compactMap { channel in
            guard channel.isWildcard else { return .channel(channel) }
            // Nothing falls under deeper ones.
            let levels = channel.name.utf8.count { $0 == UInt8(ascii: ".") }
            guard levels <= Limits.wildcardLevelsMax else { return nil }
            return .prefix(String(channel.name.dropLast()), keyset: channel.keyset)
        }
    }
}
