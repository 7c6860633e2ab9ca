// A daemon made of values: what docs/PROTOCOL.md promises, in the plainest way, for one tenant.

import Basis
import EventModel

/// What the server sends to one session.
enum ServerNews {
    case reply(DeviceTicket, Result<Reply, ProtocolError>)
    case push(Batch)
}

/// One channel as the server keeps it.
struct ModelChannel {
    struct Row {
        var action: MessageAction
        var changed: Timetoken
        var isLive: Bool
    }

    let key: DigestKey
    var messages: [Timetoken: DeviceCache.Entry] = [:]
    var rows: [MessageAction.Key: Row] = [:]
    var deletions: [(at: Timetoken, after: Timetoken, through: Timetoken)] = []
    var clearings: [(at: Timetoken, clearing: Clearing)] = []
    var newest = Timetoken.zero

    var live: [MessageAction] { rows.values.filter(\.isLive).map(\.action) }

    var state: Digest {
        var state = live.reduce(into: Digest()) { $0.insert($1, key: key) }
        for (timetoken, entry) in messages { state.insert(entry.row(at: timetoken), key: key) }
        return state
    }

    /// Each row that changed, once, in order.
    func changes(in channel: Channel, after cursor: Timetoken) -> [Envelope] {
        var envelopes: [Envelope] = []
        func add(_ timetoken: Timetoken, _ uuid: String, _ event: Event) {
            envelopes.append(
                Envelope(channel: channel, timetoken: timetoken, uuid: uuid, event: event))
        }
        for (timetoken, entry) in messages where timetoken > cursor {
            add(timetoken, entry.uuid, .message(entry.message))
        }
        for deletion in deletions where deletion.at > cursor {
            add(
                deletion.at, "",
                .messagesDeleted(after: deletion.after, through: deletion.through))
        }
        for (at, clearing) in clearings where at > cursor {
            add(at, "", .actionsCleared(clearing))
        }
        for row in rows.values where row.changed > cursor {
            add(
                row.changed, row.action.key.uuid,
                row.isLive ? .actionAdded(row.action) : .actionRemoved(row.action))
        }
        return envelopes.sorted { $0.timetoken < $1.timetoken }
    }
}

/// The store, its runs and its sessions.
struct ModelServer {
    struct Subscription {
        var isHeld = false
        var symbols: [CodedSymbol] = []
    }

    struct Session {
        var user: String
        var subscriptions: [String: Subscription] = [:]
        var news: [ServerNews] = []
    }

    var channels: [String: ModelChannel] = [:]
    var sessions: [Int: Session] = [:]
    var last = Timetoken(rawValue: 1000)
    var floor = Timetoken.zero
    private var store = "a"
    private var runs: [(id: String, startedAfter: Timetoken)] = [("r0", .zero)]
    private var answers: [String: Reply] = [:]
    private var generator: SeededGenerator
    /// How often each rung was the answer.
    var rungs: [SubscribedChannel.Mode: Int] = [:]
    var repairs = (decoded: 0, more: 0, snapshots: 0)

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    var epoch: String { "\(store).\(runs[runs.count - 1].id)" }

    // MARK: What happens to it

    mutating func restart() {
        sessions = [:]
        runs.append(("r\(generator.next())", last))
    }

    /// Another store takes its place.
    mutating func replace() {
        store = "s\(generator.next())"
        runs = []
        channels = [:]
        answers = [:]
        floor = .zero
        restart()
    }

    /// Goes back to an earlier state, in a new run; the clock does not go back.
    mutating func restore(_ backup: ModelServer) {
        let counts = (rungs, repairs, generator)
        self = backup
        (rungs, repairs, generator) = counts
        restart()
    }

    mutating func collectTombstones() {
        floor = last
        for name in channels.keys {
            let rows = channels[name]?.rows ?? [:]
            channels[name]?.rows = rows.filter(\.value.isLive)
            channels[name]?.clearings = []
        }
    }

    // MARK: Commands

    mutating func handle(_ question: DeviceQuestion, from session: Int, at clock: UInt64) {
        guard sessions[session] != nil else { return }
        if generator.chance(3) {
            let busy = ProtocolError(status: 503, code: "overloaded", message: "Later.")
            sessions[session]?.news.append(.reply(question.ticket, .failure(busy)))
            return
        }
        switch question.command {
        case .subscribe(let requests):
            let confirmed = requests.map { subscribe($0, session) }
            sessions[session]?.news.append(
                .reply(question.ticket, .success(.subscribed(confirmed))))
            for channel in confirmed where channel.mode != .repair {
                sendChanges(of: channel.channel, to: session, after: channel.cursor)
            }
        case .repair(let request):
            repair(request, session, question.ticket)
        case .unsubscribe(let names):
            for name in names { sessions[session]?.subscriptions[name] = nil }
        default:
            let reply = write(question.command, session, clock)
            sessions[session]?.news.append(.reply(question.ticket, .success(reply)))
        }
    }

    private mutating func channel(_ name: String) -> ModelChannel {
        if let channel = channels[name] { return channel }
        let channel = ModelChannel(key: .random(using: &generator))
        channels[name] = channel
        return channel
    }

    private mutating func subscribe(
        _ request: SubscribeRequest, _ session: Int
    ) -> SubscribedChannel {
        let channel = channel(request.channel)
        let cursor = request.cursor ?? last
        var (mode, start) = (SubscribedChannel.Mode.delta, cursor)
        if cursor > .zero {
            let parts = (request.epoch ?? "").split(separator: ".").map(String.init)
            let run = parts.count == 2 ? runs.firstIndex { $0.id == parts[1] } : nil
            if parts.first == store, let run {
                let end = run + 1 < runs.count ? runs[run + 1].startedAfter : last
                if cursor > end {
                    (mode, start) = (.repair, end)
                } else if cursor < floor || request.asksForRepair {
                    mode = .repair
                } else if cursor >= channel.newest {
                    mode = request.base == channel.state ? .current : .repair
                }
            } else {
                (mode, start) = (.snapshot, .zero)
            }
        }
        rungs[mode, default: 0] += 1
        sessions[session]?.subscriptions[request.channel] = Subscription(
            isHeld: mode == .repair)
        return SubscribedChannel(
            channel: request.channel, mode: mode, cursor: start, key: channel.key,
            state: mode == .current && generator.chance(50) ? channel.state : nil)
    }

    /// What was missed, in pages; the last one with the state.
    private mutating func sendChanges(
        of name: String, to session: Int, after cursor: Timetoken
    ) {
        let channel = channel(name)
        var envelopes = channel.changes(in: Channel(name), after: cursor)[...]
        while envelopes.count > 4, let end = envelopes.prefix(4).last {
            push(
                Batch(
                    channel: Channel(name), cursor: end.timetoken,
                    envelopes: Array(envelopes.prefix(4))), to: session)
            envelopes = envelopes.dropFirst(4)
        }
        push(
            Batch(
                channel: Channel(name), cursor: last, envelopes: Array(envelopes),
                state: channel.state), to: session)
    }

    private mutating func push(_ batch: Batch, to session: Int) {
        sessions[session]?.news.append(.push(batch))
    }

    private mutating func repair(
        _ request: RepairRequest, _ session: Int, _ ticket: DeviceTicket
    ) {
        var decoded: RatelessDecoder?
        let channel = channel(request.channel)
        func answer(_ step: RepairStep, _ server: inout ModelServer) {
            server.sessions[session]?.news.append(.reply(ticket, .success(.repair(step))))
        }
        guard var subscription = sessions[session]?.subscriptions[request.channel],
            subscription.isHeld,
            request.run.first == 0 || request.run.first == subscription.symbols.count
        else {
            let error = ProtocolError(status: 409, code: "no_repair", message: "Subscribe again.")
            sessions[session]?.news.append(.reply(ticket, .failure(error)))
            return
        }
        // The symbols of one channel at a time are kept.
        for name in sessions[session]?.subscriptions.keys ?? [:].keys where name != request.channel
        {
            sessions[session]?.subscriptions[name]?.symbols = []
        }
        if request.run.first == 0 { subscription.symbols = [] }
        subscription.symbols += request.run.symbols
        var encoder = RatelessEncoder(0..<subscription.symbols.count)
        for action in channel.live { encoder.insert(RepairItem(action, key: channel.key)) }
        for (timetoken, entry) in channel.messages {
            encoder.insert(RepairItem(entry.row(at: timetoken), key: channel.key))
        }
        var decoder = RatelessDecoder(key: channel.key, symbolsMax: Limits.repairSymbolsMax)
        for (remote, local) in zip(encoder.symbols, subscription.symbols) where !decoder.isDecoded {
            do { try decoder.add(remote: remote, local: local) } catch { break }
        }
        if decoder.isDecoded { decoded = decoder }
        guard let decoded else {
            sessions[session]?.subscriptions[request.channel] = subscription
            if generator.chance(10) {
                repairs.snapshots += 1
                return answer(.snapshot, &self)
            }
            repairs.more += 1
            return answer(.needsSymbols(decoder.likelySymbolCount), &self)
        }
        repairs.decoded += 1
        subscription.isHeld = false
        sessions[session]?.subscriptions[request.channel] = subscription
        let wanted = Set(decoded.onlyRemote.map(\.timetoken))
        answer(
            .difference(
                RepairDifference(
                    cursor: last, state: channel.state,
                    rows: channel.live.filter { wanted.contains($0.actionTimetoken) }
                        .sorted { $0.actionTimetoken < $1.actionTimetoken },
                    messages: channel.messages.filter { wanted.contains($0.key) }
                        .map {
                            StoredMessage(
                                timetoken: $0.key, uuid: $0.value.uuid, message: $0.value.message)
                        },
                    dropped: Set(decoded.onlyLocal.map(\.timetoken)).sorted())), &self)
        sendChanges(of: request.channel, to: session, after: last)
    }

    // MARK: Writes

    private mutating func write(_ command: Command, _ session: Int, _ clock: UInt64) -> Reply {
        guard let user = sessions[session]?.user else { return .pong(last) }
        switch command {
        case .publish(let request):
            return once(request.mutation, user) { server in
                .published(server.publish(request.message, in: request.channel, user, clock))
            }
        case .addAction(let request):
            return once(request.mutation, user) { server in
                server.add(request.key(by: user), in: request.channel, clock)
            }
        case .removeAction(let request):
            return once(request.action.mutation, user) { server in
                .actionRemoved(
                    server.remove(
                        request.action.key(by: user), seen: request.actionTimetoken,
                        in: request.action.channel, clock))
            }
        default: return .pong(last)
        }
    }

    private mutating func once(
        _ mutation: String?, _ user: String, _ body: (inout ModelServer) -> Reply
    ) -> Reply {
        let id = "\(user)/\(mutation ?? "")"
        if let answer = answers[id] { return answer }
        let answer = body(&self)
        answers[id] = answer
        return answer
    }

    mutating func publish(
        _ message: Message, in name: String, _ user: String, _ clock: UInt64
    ) -> Timetoken {
        last = last.successor(at: clock)
        var channel = channel(name)
        channel.messages[last] = DeviceCache.Entry(uuid: user, message: message)
        commit(channel, name, user, .message(message))
        return last
    }

    private mutating func add(
        _ key: MessageAction.Key, in name: String, _ clock: UInt64
    ) -> Reply {
        var channel = channel(name)
        if let row = channel.rows[key], row.isLive { return .actionAdded(row.action, .already) }
        last = last.successor(at: clock)
        let action = MessageAction(key: key, actionTimetoken: last)
        channel.rows[key] = ModelChannel.Row(action: action, changed: last, isLive: true)
        commit(channel, name, key.uuid, .actionAdded(action))
        return .actionAdded(action, .added)
    }

    mutating func remove(
        _ key: MessageAction.Key, seen: Timetoken?, in name: String, _ clock: UInt64
    ) -> Removal {
        var channel = channel(name)
        guard let row = channel.rows[key], row.isLive else { return .absent }
        if let seen, row.action.actionTimetoken > seen { return .stale }
        last = last.successor(at: clock)
        channel.rows[key] = ModelChannel.Row(action: row.action, changed: last, isLive: false)
        commit(channel, name, key.uuid, .actionRemoved(row.action))
        return .removed
    }

    mutating func deleteMessages(
        after start: Timetoken, through end: Timetoken, in name: String, _ clock: UInt64
    ) {
        last = last.successor(at: clock)
        var channel = channel(name)
        channel.messages = channel.messages.filter { $0.key <= start || $0.key > end }
        channel.rows = channel.rows.filter {
            $0.key.messageTimetoken <= start || $0.key.messageTimetoken > end
        }
        channel.deletions.append((last, start, end))
        commit(channel, name, "", .messagesDeleted(after: start, through: end))
    }

    /// A moderator removes what a clearing covers.
    mutating func clear(_ clearing: Clearing, in name: String, _ clock: UInt64) {
        var channel = channel(name)
        guard channel.live.contains(where: { clearing.covers($0.key) }) else { return }
        last = last.successor(at: clock)
        channel.rows = channel.rows.filter { !$0.value.isLive || !clearing.covers($0.key) }
        channel.clearings.append((last, clearing))
        commit(channel, name, "", .actionsCleared(clearing))
    }

    private mutating func commit(
        _ changed: ModelChannel, _ name: String, _ user: String, _ event: Event
    ) {
        channels[name] = changed
        channels[name]?.newest = last
        let envelope = Envelope(channel: Channel(name), timetoken: last, uuid: user, event: event)
        // Now and then a batch ends amid a commit, and says nothing of the state.
        let isSplit = generator.chance(20)
        let batch = Batch(
            channel: Channel(name), cursor: last, envelopes: [envelope],
            state: isSplit ? nil : changed.state)
        let end = Batch(
            channel: Channel(name), cursor: last, envelopes: [], state: changed.state)
        for id in sessions.keys {
            if let subscription = sessions[id]?.subscriptions[name], !subscription.isHeld {
                push(batch, to: id)
                if isSplit { push(end, to: id) }
            }
        }
    }
}

extension ActionRequest {
    func key(by user: String) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: messageTimetoken, type: type, value: value, uuid: user)
    }
}
