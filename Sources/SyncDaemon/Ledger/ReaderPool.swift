// The reader threads: queries that miss memory go here, so that no thread with sockets waits for a
// disk.

import EventModel

/// One question about the committed state.
struct ReadRequest: Sendable {
    enum Query: Sendable {
        case changes(after: Timetoken)
        case history(HistoryQuery)
        case actions(ActionsQuery)
        /// Of several channels of the request's keyset; the request's own channel plays no part.
        case histories([HistoryQuery])
        /// As above.
        case messageCounts([CountQuery])
        /// What happened where somebody follows, for a poll; the request's channel plays no part.
        case backlog([Interest], after: Timetoken, limit: Int)
    }

    let origin: Origin
    let channel: Channel
    let query: Query
}

/// What a reader found.
struct ReadAnswer: Sendable {
    enum Result: Sendable {
        case reply(Swift.Result<Reply, ProtocolError>)
        /// A page of changes, encoded here so that no reactor has to.
        case changes([EncodedEnvelope], through: Timetoken)
        /// The changes could not be read.
        case failed(StoreError)
    }

    let origin: Origin
    let channel: Channel
    let result: Result
}

/// Threads that each own a reader of the store.
final class ReaderPool: Sendable {
    private let requests = WorkQueue<ReadRequest>(capacity: Limits.readerQueueMax)

    /// Starts the threads; they run until the process ends.
    ///
    /// - Parameters:
    ///   - deliver: Called on a reader's thread with each answer.
    ///   - fail: Called when a reader cannot be made. It must end the process.
    init(
        count: Int, makeReader: @escaping @Sendable () throws(StoreError) -> any StoreReader,
        counters: Counters, log: Log, deliver: @escaping @Sendable (ReadAnswer) -> Void,
        fail: @escaping @Sendable (StoreError) -> Void
    ) {
        for index in 0..<count {
            _ = OSThread(name: "reader-\(index)") { [requests] in
                let reader: any StoreReader
                do throws(StoreError) { reader = try makeReader() } catch { return fail(error) }
                while true {
                    for request in requests.take(atMost: 1) {
                        counters.reads.add()
                        let answer = request.answer(from: reader)
                        if case .failed(let error) = answer.result {
                            log.error("A read failed.", ["error": error.description])
                        }
                        deliver(answer)
                    }
                }
            }
        }
    }

    /// Queues a question.
    ///
    /// - Returns: `false` when too many wait already.
    func ask(_ request: ReadRequest) -> Bool {
        requests.put(request)
    }

    /// Questions that wait now.
    var backlog: Int { requests.count }
}

extension ReadRequest {
    /// Asks on the reader's thread.
    func answer(from reader: any StoreReader) -> ReadAnswer {
        ReadAnswer(origin: origin, channel: channel, result: result(from: reader))
    }

    private func result(from reader: any StoreReader) -> ReadAnswer.Result {
        do throws(StoreError) {
            switch query {
            case .changes(let cursor):
                let page = try reader.changes(in: channel, after: cursor)
                return .changes(
                    page.envelopes.map(EncodedEnvelope.init), through: page.through)
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
            case .backlog(let interests, let cursor, let limit):
                guard
                    let backlog = try reader.backlog(interests, after: cursor, limit: limit)
                else {
                    return .reply(
                        .failure(.tooManyChannels(Limits.backlogChannelsMax, per: "backlog")))
                }
                return .reply(.success(.backlog(backlog)))
            }
        } catch {
            if case .changes = query { return .failed(error) }
            return .reply(.failure(.storeUnavailable))
        }
    }

    /// A channel of the request's keyset.
    private func sibling(_ name: String) -> Channel {
        Channel(name, keyset: channel.keyset)
    }
}
