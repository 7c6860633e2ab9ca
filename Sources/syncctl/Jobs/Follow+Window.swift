// Shows the newest messages of a channel before what happens from then on.

import EventModel
import SyncClient

/// What was shown of a channel, and what is known of messages before that.
struct ShownWindow {
    let base: ChannelBase
    /// Messages before it whose actions were fetched since.
    private var fetched: Set<Timetoken> = []

    init(_ base: ChannelBase) {
        self.base = base
    }

    /// The message that an event is about, when nobody knows yet what stands on it.
    mutating func lacks(_ envelope: Envelope) -> Timetoken? {
        switch envelope.event {
        case .actionAdded(let action), .actionRemoved(let action):
            let message = action.key.messageTimetoken
            let isBefore = message <= base.rest.after
            return isBefore && fetched.insert(message).inserted ? message : nil
        case .message, .messagesDeleted, .actionsCleared, .signal, .presence, .directory:
            return nil
        }
    }

    /// The newest messages, as a page of the history would have them.
    ///
    /// - Parameter items: Of the list that the base is shown as.
    func messages(_ count: Int, as items: [ListItem]) -> [StoredMessage] {
        var actions: [Timetoken: [MessageAction]] = [:]
        for action in base.cache.standing {
            actions[action.key.messageTimetoken, default: []].append(action)
        }
        return items.suffix(count).compactMap { item in
            guard let timetoken = item.timetoken, let entry = base.cache.messages[timetoken] else {
                return nil
            }
            let actions = actions[timetoken, default: []].sorted {
                $0.actionTimetoken < $1.actionTimetoken
            }
            let own = actions.filter { $0.key.uuid == entry.uuid }
            let edit = own.last { $0.key.type == MessageVersion.editedType }
            let deletion = own.last { $0.key.type == MessageVersion.deletedType }
            var message = StoredMessage(
                timetoken: timetoken, uuid: entry.uuid, message: entry.message, actions: actions,
                edited: edit.map {
                    MessageVersion(payload: item.message.payload, timetoken: $0.actionTimetoken)
                }, deleted: deletion?.actionTimetoken)
            message.threadCount = item.threadCount
            return message
        }
    }
}

extension DeviceCache {
    /// The actions that stand.
    fileprivate var standing: [MessageAction] { actions.keys.compactMap { action(of: $0) } }

    /// Takes up actions that stand, whatever was heard since.
    mutating func add(_ actions: [MessageAction]) {
        self = DeviceCache(messages: messages, actions: standing + actions, cursor: cursor)
    }
}

extension JobRunner {
    /// Shows the newest messages as `history --actions` does, and follows the channel from there.
    ///
    /// - Returns: What they were shown from.
    func showNewest(_ count: Int, of channel: String) async throws -> ShownWindow {
        let events = await client.events()
        let room = try await client.channel(channel, window: .last(count))
        try await wait(for: room, events)
        try await fill(room, with: count)
        var (base, items) = await (room.base, room.items)
        // The two are of one moment.
        while await room.base.cursor != base.cursor {
            (base, items) = await (room.base, room.items)
        }
        await room.leave()
        let window = ShownWindow(base)
        for message in window.messages(count, as: items) {
            if options.writesJSON {
                Terminal.print(json.line(for: message, showsActions: true))
            } else {
                for line in human.lines(for: message) { Terminal.print(line) }
            }
        }
        try await client.follow(channel, after: base.cursor)
        return window
    }

    /// A page of large messages has fewer than were asked for; what cannot be had is said.
    private func fill(_ room: SyncedChannel, with count: Int) async throws {
        do {
            while await room.items.count < count, await room.hasOlder {
                let missing = await count - room.items.count
                guard missing > 0, try await room.loadOlder(missing) == .more else { return }
            }
        } catch SyncClientError.refused(let error) {
            guard await !room.items.isEmpty else { throw SyncClientError.refused(error) }
            report("incomplete", "messages before these cannot be shown: \(error.message)")
        }
    }

    private func wait(
        for room: SyncedChannel, _ events: AsyncStream<SyncEvent>
    ) async throws {
        if await room.isVerified { return }
        for await event in events {
            switch event {
            case .channelVerified: return
            case .channelRefused(_, let error): throw SyncClientError.refused(error)
            case .disconnected(let reason, nil): throw JobError(closedBecause: reason)
            default: break
            }
        }
    }

    /// The actions that stand on one message and were added before a position, oldest first.
    func actions(
        of channel: String, on message: Timetoken, before position: Timetoken
    ) async throws -> [MessageAction] {
        var query = ActionsQuery(channel: channel, messageTimetoken: message)
        var standing: [MessageAction] = []
        repeat {
            let page = try await client.actions(query)
            standing += page.actions.filter { $0.actionTimetoken < position }
            query.after = page.next
        } while query.after != nil
        return standing
    }
}
