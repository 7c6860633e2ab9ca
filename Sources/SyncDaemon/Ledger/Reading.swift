// Answering a question in steps, between which its thread serves others.

import EventModel

/// A question, and how far it was read.
struct Reading: Sendable {
    let request: ReadRequest
    var progress = Progress.none

    enum Progress: Sendable {
        case none
        /// - `isDear`: The next one was found to take long.
        case histories([ChannelHistory], isDear: Bool)
        case counts([MessageCount])
        case unread([UnreadMessages])
        case directory(EntryScan)
        /// It was found to take long.
        case dear
        case backlog(PolledBacklog)
        case repair(RepairWork)
        case segmentRows(SegmentRows)
        case summaries(SummaryWork)
        case search(ChannelSearch)
    }

    /// What came of a step.
    enum Step {
        case done(ReadAnswer)
        /// It needs a further step, by whichever reader.
        case goesOn
        /// Another question reads the same: the cache has it, and releases it.
        case waits
        /// Nobody waits for the answer any more: there is none.
        case unwanted
    }

    init(_ request: ReadRequest) {
        self.request = request
    }

    /// Where its next step waits.
    var ticket: ReaderTicket {
        var ticket = request.ticket
        switch progress {
        case .dear, .histories(_, isDear: true): ticket.lane = .repair
        default: break
        }
        return ticket
    }

    /// Whether it may be given up: nobody waits for it, nor for what it reads for others, too.
    private var isUnwanted: Bool {
        if case .repair = progress { return false }
        return request.demand?.isOver ?? false
    }

    /// Reads on.
    ///
    /// - Parameter mayGoOn: Asked now and then; a step does something in any case.
    mutating func step(
        from reader: any StoreReader, _ order: EventOrder, _ caches: ReaderCaches,
        while mayGoOn: () -> Bool
    ) -> Step {
        guard !isUnwanted else { return .unwanted }
        do throws(StoreError) {
            if case .repair(let query) = request.query {
                return try repair(query, from: reader, caches, while: mayGoOn)
            }
            if case .summaries(let query) = request.query {
                let found = try summaries(query, from: reader, caches.summaries, while: mayGoOn)
                return found.map { .done(answer(.reply(.success(.summaries($0))))) } ?? .goesOn
            }
            let result = try result(from: reader, order, caches, while: mayGoOn)
            return result.map { .done(answer($0)) } ?? .goesOn
        } catch {
            progress = .none
            let result: ReadAnswer.Result
            switch request.query {
            case .changes, .state, .backlog, .channels: result = .failed(error)
            case .liveActions(_, let id):
                result = .live(LiveAnswer(id: id, page: .failure(error.refusal)))
            default: result = .reply(.failure(error.refusal))
            }
            return .done(answer(result, error))
        }
    }

    func answer(_ result: ReadAnswer.Result, _ failure: StoreError? = nil) -> ReadAnswer {
        ReadAnswer(
            asker: request.asker, channel: request.channel, result: result, failure: failure)
    }

    /// - Returns: `nil` when there is more to read.
    private mutating func result(
        from reader: any StoreReader, _ order: EventOrder, _ caches: ReaderCaches,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        let channel = request.channel
        switch request.query {
        case .changes(let start, nil):
            return try changes(from: start, from: reader, order)
        case .changes(let start, let window?):
            return try changes(from: start, of: window, from: reader, order, caches)
        case .state:
            let state = try reader.digest(of: channel)
            return .state(state.digest, at: state.cursor)
        case .repair, .summaries: preconditionFailure("It has steps of its own.")
        case .backlog(let channels, let cursor, let bringsDeletions, let bytesMax):
            return try backlog(from: reader, order, while: mayGoOn) {
                PolledBacklog(
                    of: channels, after: cursor, bringsDeletions: bringsDeletions,
                    bytesMax: bytesMax, order)
            }
        case .channels(let wildcard, let cursor):
            return try search(
                ChannelSearch(under: wildcard, changedAfter: cursor), from: reader,
                while: mayGoOn)
        case .history(let query):
            return try orDear(reader.history(query, in: channel, isDear: isDear)) {
                .reply(.success(.history($0)))
            }
        case .older(let query):
            return try older(query, from: reader, caches)
        case .actions(let query):
            return try orDear(reader.datedActions(query, in: channel, isDear: isDear)) {
                .reply(.success(.actions($0.page)))
            }
        case .liveActions(let query, let id):
            return try orDear(reader.datedActions(query, in: channel, isDear: isDear)) {
                let page = DatedPage(page: $0.page, asOf: $0.asOf)
                return .live(LiveAnswer(id: id, page: .success(page)))
            }
        case .histories(let queries):
            return try histories(queries, from: reader, while: mayGoOn)
        case .messageCounts(let queries):
            return try counts(queries, from: reader, while: mayGoOn)
        case .unread(let channels, let user):
            return try unread(channels, of: user, from: reader, while: mayGoOn)
        case .files(let position, let limit):
            let page = try reader.files(in: channel, after: position, limit: limit)
            return .reply(.success(.files(page.files.map(\.entry), next: page.next)))
        case .file(let id):
            let file = try reader.file(id).flatMap { $0.channel == channel ? $0 : nil }
            return .reply(.success(.files(file.map { [$0.entry] } ?? [], next: nil)))
        case .pushChannels(let device, let user):
            let channels = try reader.channels(of: device, registeredBy: user)
            return .reply(.success(.deviceChannels(channels)))
        case .directory(let scan):
            return try directory(scan, from: reader, while: mayGoOn)
        }
    }

    /// Whether it stands where what may take long does.
    private var isDear: Bool { if case .dear = progress { true } else { false } }

    /// What was found; `nil` when it would take long: it then waits with what may.
    private mutating func orDear<Found>(
        _ found: Found?, _ answer: (Found) -> ReadAnswer.Result
    ) -> ReadAnswer.Result? {
        if found == nil { progress = .dear }
        return found.map(answer)
    }

    /// The steps need not see the same commit, as the pages of a directory need not.
    private mutating func directory(
        _ begun: EntryScan, from reader: any StoreReader, while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        var scan = begun
        if case .directory(let earlier) = progress { scan = earlier }
        progress = .none
        try reader.readOn(&scan, in: request.channel, while: mayGoOn)
        guard !scan.isOver else { return .reply(.success(.directory(scan.page))) }
        progress = .directory(scan)
        return nil
    }

    /// - Parameter window: What is about messages up to there is left out.
    private func changes(
        from start: ChangeStart, behind window: Timetoken = .zero, from reader: any StoreReader,
        _ order: EventOrder
    ) throws(StoreError) -> ReadAnswer.Result {
        // Before the read: then the read sees everything up to it.
        let visible = order.visible
        let page = try reader.changes(in: request.channel, from: start)
        guard !page.isTooOld else { return .tooOld }
        return .changes(
            EncodedPage(
                events: page.envelopes.filter { !$0.isBefore(window) }.map(EncodedEnvelope.init),
                cursor: page.through,
                through: page.isComplete ? max(page.through, visible) : page.through,
                state: page.digest, asOf: page.asOf))
    }

    /// What changed of a part of the channel, and what the rest comes to when that is all.
    private func changes(
        from start: ChangeStart, of window: Timetoken, from reader: any StoreReader,
        _ order: EventOrder, _ caches: ReaderCaches
    ) throws(StoreError) -> ReadAnswer.Result {
        let found = try changes(from: start, behind: window, from: reader, order)
        guard case .changes(var page) = found else { return found }
        page.window = BatchWindow(after: window)
        if let state = page.state {
            page.window?.rest = try reader.withSnapshot(of: request.channel) {
                snapshot throws(StoreError) in
                // Of a later commit it is right as well, unless that changed the channel.
                guard snapshot.digest == state else { return nil }
                return try WindowReading.rest(
                    before: window, of: snapshot, key: caches.secret.key(of: request.channel),
                    within: caches.windows)
            }
        }
        return .changes(page)
    }

    /// Encoded here: a page may be large, and a reactor has others to serve.
    private mutating func older(
        _ query: OlderQuery, from reader: any StoreReader, _ caches: ReaderCaches
    ) throws(StoreError) -> ReadAnswer.Result? {
        let isDear = isDear
        let page = try reader.withSnapshot(of: request.channel) { snapshot throws(StoreError) in
            try WindowReading.page(
                query, from: snapshot, key: caches.secret.key(of: request.channel),
                within: caches.windows, isDear: isDear)
        }
        switch page {
        case nil:
            progress = .dear
            return nil
        case .success(let page)?: return .encoded(EncodedReply(.older(page)))
        case .failure(let error)?: return .reply(.failure(error))
        }
    }

    // MARK: Several channels

    private mutating func histories(
        _ queries: [HistoryQuery], from reader: any StoreReader, while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        var (found, isDear) = ([ChannelHistory](), false)
        if case .histories(let earlier, let wasDear) = progress {
            (found, isDear) = (earlier, wasDear)
        }
        repeat {
            let query = queries[found.count]
            let page = try reader.history(query, in: sibling(query.channel), isDear: isDear)
            guard let page else {
                progress = .histories(found, isDear: true)
                return nil
            }
            found.append(ChannelHistory(channel: query.channel, page: page))
        } while found.count < queries.count && mayGoOn()
        progress = .histories(found, isDear: false)
        return found.count < queries.count ? nil : .reply(.success(.histories(found)))
    }

    private mutating func counts(
        _ queries: [CountQuery], from reader: any StoreReader, while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        var found: [MessageCount] = []
        if case .counts(let earlier) = progress { found = earlier }
        repeat {
            let query = queries[found.count]
            let count = try reader.messageCounts([(sibling(query.channel), query.after)])
            found.append(MessageCount(channel: query.channel, count: count[0]))
        } while found.count < queries.count && mayGoOn()
        progress = .counts(found)
        return found.count < queries.count ? nil : .reply(.success(.messageCounts(found)))
    }

    private mutating func unread(
        _ channels: [String], of user: String, from reader: any StoreReader,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        var found: [UnreadMessages] = []
        if case .unread(let earlier) = progress { found = earlier }
        repeat {
            found.append(try reader.unread(of: user, in: sibling(channels[found.count])))
        } while found.count < channels.count && mayGoOn()
        progress = .unread(found)
        return found.count < channels.count ? nil : .reply(.success(.unread(found)))
    }

    /// A channel of the request's keyset.
    private func sibling(_ name: String) -> Channel {
        Channel(name, keyset: request.channel.keyset)
    }

    private mutating func backlog(
        from reader: any StoreReader, _ order: EventOrder, while mayGoOn: () -> Bool,
        beginning begin: () -> PolledBacklog
    ) throws(StoreError) -> ReadAnswer.Result? {
        var backlog: PolledBacklog
        if case .backlog(let earlier) = progress {
            backlog = earlier
        } else {
            backlog = begin()
        }
        progress = .none
        try reader.readOn(&backlog.stored, while: mayGoOn)
        guard !backlog.stored.isExhausted else { return backlog.result }
        progress = .backlog(backlog)
        return nil
    }

    private mutating func search(
        _ begun: ChannelSearch, from reader: any StoreReader, while mayGoOn: () -> Bool
    ) throws(StoreError) -> ReadAnswer.Result? {
        var search = begun
        if case .search(let earlier) = progress { search = earlier }
        progress = .none
        try reader.readOn(&search, while: mayGoOn)
        guard !search.isExhausted else { return .channels(search.isTooMany ? nil : search.found) }
        progress = .search(search)
        return nil
    }

    // MARK: Summaries

    private mutating func summaries(
        _ query: SummariesQuery, from reader: any StoreReader, _ cache: SummaryCache,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> SummariesPage? {
        var work = SummaryWork(query, in: request.channel)
        if case .summaries(let earlier) = progress { work = earlier }
        progress = .none
        let found = try work.step(from: reader, cache, while: mayGoOn)
        if found == nil { progress = .summaries(work) }
        return found
    }
}
