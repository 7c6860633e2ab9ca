// Lists of who reacted that tell their changes: what an application holds of a live query.

public import EventModel

/// What a stream of a live list says.
public enum LiveUpdate: Hashable, Sendable {
    /// The whole list: at the start, and when the reader was so slow that changes were dropped.
    case all([MessageAction])
    /// Changes to make one after the other, with `[MessageAction].apply(_:)`.
    case changes([LiveListChange])
    /// The daemon does not answer this question, and the stream ends.
    case refused(ProtocolError)
}

/// The actions that a query asks for, as far as its pages reach, kept equal to the daemon's.
///
/// Without a connection the list stays as it was last; with the next one it is asked for anew, as
/// far as it reached, and what differs comes as changes.
public struct LiveActions: Sendable {
    let number: Int
    let client: SyncClient

    /// The list as it is now.
    public var actions: [MessageAction] {
        get async { await client.liveLists[number]?.list.actions ?? [] }
    }

    /// Whether the daemon has more behind the list, which ``loadMore()`` brings.
    public var hasMore: Bool {
        get async { await client.liveLists[number]?.list.next != nil }
    }

    /// Whether the list is the daemon's, but for what is on its way.
    public var isCurrent: Bool {
        get async { await client.liveLists[number]?.isCurrent == true }
    }

    /// The list now, or when its first page is there, and then its changes; one reader per stream,
    /// any number of streams.
    ///
    /// A refusal that came before is told to the first of them.
    public var updates: AsyncStream<LiveUpdate> {
        get async { await client.liveUpdates(of: number) }
    }

    /// Has the next page come, as changes of the list; nothing happens where there is none.
    ///
    /// Each call brings one page more, when there is a connection and the pages before are there.
    public func loadMore() async { await client.loadMore(of: number) }

    /// Ends it, and its streams.
    public func leave() async { await client.leaveLive(number) }
}

extension SyncClient {
    /// Follows what a query finds: its first page, and what happens to it from then on.
    ///
    /// For example who reacted to a message with 👍, newest first:
    ///
    /// ```swift
    /// let list = try await client.liveActions(
    ///     ActionsQuery(
    ///         channel: "room", messageTimetoken: message, types: ["reaction"], values: ["👍"],
    ///         isDescending: true, limit: 25))
    /// var people: [MessageAction] = []
    /// for await update in await list.updates {
    ///     switch update {
    ///     case .all(let all): people = all
    ///     case .changes(let changes): for change in changes { people.apply(change) }
    ///     case .refused(let error): print(error)
    ///     }
    /// }
    /// ```
    ///
    /// It lasts until ``LiveActions/leave()`` or ``close()``, across reconnects; a session has 20.
    ///
    /// - Parameter query: `limit` is how many rows a page brings; `until` has no place in it.
    /// - Throws: ``SyncClientError/invalidChannel(reason:)``, or
    ///   ``SyncClientError/closed(reason:)``.
    public func liveActions(_ query: ActionsQuery) throws(SyncClientError) -> LiveActions {
        try Command.actions(query).check()
        if case .closed(let reason) = phase { throw .closed(reason: reason) }
        lastLiveList += 1
        liveLists[lastLiveList] = LiveListState(query)
        if case .online = phase { askLive(lastLiveList) { $0.begin() } }
        return LiveActions(number: lastLiveList, client: self)
    }

    func liveUpdates(of number: Int) -> AsyncStream<LiveUpdate> {
        let queue = StreamQueue<LiveUpdate>(capacity: ClientLimits.listUpdatesWaitingMax)
        if let list = liveLists[number] {
            if list.hasBegun { queue.append(.all(list.list.actions), orInstead: { [] }) }
            liveLists[number]?.wasRead = true
            liveLists[number]?.readers.append(WeakReader(queue: queue))
        } else {
            if let index = liveRefusals.firstIndex(where: { $0.number == number }) {
                queue.append(.refused(liveRefusals.remove(at: index).error), orInstead: { [] })
            }
            queue.finish()
        }
        return queue.stream
    }

    func loadMore(of number: Int) {
        askLive(number) { $0.more() }
    }

    func leaveLive(_ number: Int) {
        liveRefusals.removeAll { $0.number == number }
        guard let list = liveLists.removeValue(forKey: number) else { return }
        if let id = list.id { endLive(id) }
        for reader in list.readers { reader.queue?.finish() }
    }

    /// Nobody waits for the answer.
    private func endLive(_ id: LiveID) {
        connection?.send(CommandEncoder.encode(.endLive(id), id: nextID()))
    }

    private func askLive(_ number: Int, _ question: (inout LiveListState) -> ActionsQuery?) {
        guard var list = liveLists[number] else { return }
        let query = question(&list)
        liveLists[number] = list
        guard let query, let serial = list.asked else { return }
        sendFirst(.actions(query), owner: .live(number, serial))
    }

    // MARK: What the session says

    /// A session began: everything is asked for anew.
    func beginLiveLists() {
        for number in liveLists.keys.sorted() { askLive(number) { $0.begin() } }
    }

    /// Those that the daemon ended, or had no room for.
    func retryLiveLists() {
        for number in liveLists.keys.sorted() {
            askLive(number) { $0.id == nil && $0.asked == nil ? $0.begin() : nil }
        }
    }

    func loseLiveLists() {
        for number in liveLists.keys { liveLists[number]?.lost() }
    }

    func endLiveLists() {
        for list in liveLists.values { for reader in list.readers { reader.queue?.finish() } }
        liveLists = [:]
        liveRefusals = []
    }

    func liveAnswered(
        _ result: Result<Reply, ProtocolError>, for number: Int, _ serial: Int
    ) {
        let page: ActionsPage? = if case .success(.actions(let page)) = result { page } else { nil }
        guard var list = liveLists[number], list.asked == serial else {
            // It was left meanwhile.
            if let id = page?.live?.id, liveLists[number]?.id != id { endLive(id) }
            return
        }
        switch result {
        case .success:
            guard let page, let live = page.live else {
                return refuse(
                    number,
                    ProtocolError(
                        status: 501, code: "no_live_queries",
                        message: "The daemon is of a release that has no live queries."))
            }
            let hadBegun = list.hasBegun
            let (changes, question) = list.take(page, live)
            if !hadBegun, list.hasBegun {
                list.tell(.all(list.list.actions))
            } else if !changes.isEmpty {
                list.tell(.changes(changes))
            }
            liveLists[number] = list
            if let question, let serial = list.asked {
                sendFirst(.actions(question), owner: .live(number, serial))
            }
        case .failure(let error) where error.status >= 429 || error.code == "no_live_query":
            // Asked again in a while: from the start, as what it has may be past mending.
            if let id = list.id { endLive(id) }
            list.lost()
            liveLists[number] = list
            retryLater(notBefore: error.retryAfterSeconds ?? 0)
        case .failure(let error) where error.isAboutToken:
            // The session ends with it, and the next one asks again.
            list.lost()
            liveLists[number] = list
        case .failure(let error): refuse(number, error)
        }
    }

    private func refuse(_ number: Int, _ error: ProtocolError) {
        guard var list = liveLists[number] else { return }
        list.tell(.refused(error))
        let isTold = list.wasRead
        leaveLive(number)
        guard !isTold else { return }
        liveRefusals.append((number, error))
        if liveRefusals.count > ClientLimits.liveRefusalsMax { liveRefusals.removeFirst() }
    }

    func liveChanged(_ id: LiveID, _ news: [LiveChange]) {
        guard let number = liveNumber(of: id), var list = liveLists[number] else { return }
        let changes = list.take(news)
        if !changes.isEmpty { list.tell(.changes(changes)) }
        liveLists[number] = list
    }

    func liveEnded(_ id: LiveID) {
        guard let number = liveNumber(of: id) else { return }
        liveLists[number]?.lost()
        retryLater(notBefore: 0)
    }

    private func liveNumber(of id: LiveID) -> Int? {
        liveLists.first { $0.value.id == id }?.key
    }
}
