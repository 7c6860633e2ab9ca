// The `ok` of each kind of command as a value.

import EventModel
import JSON

/// Reads the successful replies.
struct ReplyDecoder {
    let keyset: String

    func reply(
        _ result: borrowing JSONValue, to kind: CommandKind
    ) throws(JSONError) -> Reply {
        switch kind {
        case .hello: return .hello(try welcome(result))
        case .subscribe: return .subscribed(try subscribed(result))
        case .unsubscribe: return .unsubscribed(channels: try channels(result))
        case .follow: return .followed(try result.timetoken("cursor"))
        case .unfollow: return .unfollowed
        case .repair: return .repair(try step(result))
        case .editMessage: return try added(result)
        case .deleteMessage:
            let applied: Removal = try result.word("applied")
            return .messageDeleted(
                applied == .absent ? nil : try result.timetoken("timetoken"))
        case .publish, .signal: return .published(try result.timetoken("timetoken"))
        case .addAction: return try added(result)
        case .removeAction: return .actionRemoved(try result.word("applied"))
        case .deleteMessages: return .messagesDeleted(try result.timetoken("timetoken"))
        case .removeActions:
            let applied: Removal = try result.word("applied")
            guard applied == .removed else { return .actionsCleared(nil, count: 0) }
            return .actionsCleared(
                try result.timetoken("timetoken"), count: Int(try result.integer("count")))
        case .history: return .history(try history(result))
        case .actions:
            let live: LivePage? =
                if let id = try result.optionalInteger("live") {
                    LivePage(id: id, position: try result.timetoken("t"))
                } else { nil }
            return .actions(
                ActionsPage(
                    actions: try actions(result), next: try place(result, "next"), live: live))
        case .older: return .older(try windowPage(result))
        case .summaries: return .summaries(try summariesPage(result))
        case .markRead: return .markedRead(through: try result.timetoken("through"))
        case .unread: return .unread(try unread(result))
        case .endLive: return .liveEnded(try result.integer("live"))
        case .hereNow: return .hereNow(try occupancy(result))
        case .whereNow: return .whereNow(channels: try channels(result))
        case .setState, .getState: return .state(try result.object("state").compactText)
        case .changeGroup: return .groupChanged
        case .group: return .group(channels: try channels(result))
        case .users, .channels, .members, .memberships:
            return .directory(try result.directoryPage())
        case .setUser, .removeUser, .setChannel, .removeChannel, .setMembers, .setMemberships:
            return .directoryChanged(try result.timetoken("timetoken"))
        case .ping: return .pong(try result.timetoken("time"))
        case .token:
            return .tokenShown(expires: try result.optionalInteger("tokenExpires").map(Int.init))
        }
    }

    private func occupancy(
        _ result: borrowing JSONValue
    ) throws(JSONError) -> OccupancyPage {
        let list = try result.array("users")
        var users: [Occupant] = []
        users.reserveCapacity(list.count)
        for index in 0..<list.count {
            let user = list.element(at: index)
            users.append(
                Occupant(userID: try user.string("userId"), state: user.text("state")))
        }
        return OccupancyPage(
            occupancy: Int(try result.integer("occupancy")), users: users,
            next: try result.optionalInteger("next").map { Int($0) })
    }

    private func welcome(_ result: borrowing JSONValue) throws(JSONError) -> Welcome {
        let limits = try result.object("limits")
        return Welcome(
            session: try result.string("session"), time: try result.timetoken("time"),
            epoch: try result.string("epoch"),
            heartbeatSeconds: Int(try result.integer("heartbeat")),
            frameBytesMax: Int(try limits.integer("frameBytes")),
            channelsMax: Int(try limits.integer("channels")),
            tokenExpires: try result.optionalInteger("tokenExpires").map(Int.init))
    }

    func subscribed(
        _ result: borrowing JSONValue
    ) throws(JSONError) -> [SubscribedChannel] {
        let list = try result.array("channels")
        let rules = try RulesDecoder(result)
        var channels: [SubscribedChannel] = []
        for index in 0..<list.count {
            let channel = list.element(at: index)
            // One that a selection names, and that the session follows already.
            guard channel.member("mode") != nil else { continue }
            channels.append(
                SubscribedChannel(
                    channel: try channel.string("name"), mode: try channel.word("mode"),
                    cursor: try channel.timetoken("cursor"), key: try key(channel),
                    state: try channel.state(),
                    segmentMessages: try channel.optionalInteger("segments").flatMap {
                        $0 > 0 ? Int(exactly: $0) : nil
                    }, rules: try rules.rules(of: channel)))
        }
        return channels
    }

    private func key(_ channel: borrowing JSONValue) throws(JSONError) -> DigestKey? {
        guard let text = try channel.optionalString("key") else { return nil }
        guard let key = DigestKey(text) else {
            throw .wrongType("key", expected: "a string of 32 hexadecimal digits")
        }
        return key
    }

    private func step(_ result: borrowing JSONValue) throws(JSONError) -> RepairStep {
        if try result.flag("snapshot") { return .snapshot }
        if try result.flag("whole") { return .whole }
        let need = try result.optionalInteger("need").map { Int(clamping: $0) }
        if let text = try result.optionalString("segments") {
            let states = try result.optionalString("states")
            do throws(RepairError) {
                let ranges = try PackedRanges.ranges(
                    text: text, rangesMax: Limits.repairSymbolsMax)
                return .segments(
                    ranges,
                    states: try states.map { text throws(RepairError) in
                        try PackedStates.states(text: text, count: ranges.count)
                    } ?? [],
                    symbols: need ?? 0)
            } catch {
                throw .wrongType("segments", expected: "base64 of stretches, and of their states")
            }
        }
        if let text = try result.optionalString("missing") {
            do throws(RepairError) {
                return .missing(
                    try PackedActions.timetokens(
                        text: text, timetokensMax: Limits.repairStatesMax))
            } catch {
                throw .wrongType("missing", expected: "base64 of packed timetokens")
            }
        }
        if let need { return .needsSymbols(need) }
        let state = try result.state()
        let cursor = try result.timetoken("cursor")
        let (rows, drop) = (try result.string("rows"), try result.string("drop"))
        let messages = try result.member("messages") == nil ? [] : messages(result)
        do throws(RepairError) {
            return .difference(
                RepairDifference(
                    cursor: cursor, state: state,
                    rows: try PackedActions.actions(
                        text: rows, actionsMax: Limits.repairSymbolsMax),
                    messages: messages,
                    dropped: try PackedActions.timetokens(
                        text: drop, timetokensMax: Limits.repairSymbolsMax)))
        } catch {
            throw .wrongType("rows", expected: "base64 of packed rows, and \"drop\" of timetokens")
        }
    }

    private func channels(_ result: borrowing JSONValue) throws(JSONError) -> [String] {
        let list = try result.array("channels")
        var names: [String] = []
        for index in 0..<list.count {
            guard let name = list.element(at: index).string else {
                throw .wrongType("channels", expected: "an array of strings")
            }
            names.append(name)
        }
        return names
    }

    private func added(_ result: borrowing JSONValue) throws(JSONError) -> Reply {
        let action = try result.object("action")
        return .actionAdded(
            try action.action(by: try action.string("uuid")), try result.word("applied"))
    }

    private func history(_ result: borrowing JSONValue) throws(JSONError) -> HistoryPage {
        HistoryPage(
            messages: try messages(result), next: try result.optionalTimetoken("next"))
    }

    func messages(_ result: borrowing JSONValue) throws(JSONError) -> [StoredMessage] {
        let list = try result.array("messages")
        var messages: [StoredMessage] = []
        for index in 0..<list.count {
            let message = list.element(at: index)
            var stored = StoredMessage(
                timetoken: try message.timetoken("timetoken"),
                uuid: try message.string("uuid"),
                message: Message(
                    payload: message.text("payload") ?? "null", meta: message.text("meta"),
                    type: try message.optionalString("messageType"),
                    parent: try message.optionalTimetoken("parent")),
                actions: message.member("actions") == nil ? [] : try actions(message),
                moreActions: try message.optionalTimetoken("more"),
                edited: try version(message),
                deleted: try message.optionalTimetoken("deleted"))
            stored.threadCount = Int(try message.optionalInteger("threadCount") ?? 0)
            messages.append(stored)
        }
        return messages
    }

    private func version(
        _ message: borrowing JSONValue
    ) throws(JSONError) -> MessageVersion? {
        guard message.member("edited") != nil else { return nil }
        let edited = try message.object("edited")
        return MessageVersion(
            payload: edited.text("payload") ?? "null", timetoken: try edited.timetoken("timetoken"))
    }

    private func place(
        _ result: borrowing JSONValue, _ name: String
    ) throws(JSONError) -> ActionsPlace? {
        guard let text = try result.optionalString(name) else { return nil }
        guard let place = ActionsPlace(text) else {
            throw .wrongType(name, expected: "a place in a page's order")
        }
        return place
    }

    private func actions(_ result: borrowing JSONValue) throws(JSONError) -> [MessageAction] {
        let list = try result.array("actions")
        var actions: [MessageAction] = []
        for index in 0..<list.count {
            let action = list.element(at: index)
            actions.append(try action.action(by: try action.string("uuid")))
        }
        return actions
    }
}

extension JSONValue {
    /// One of a few words that the protocol names.
    fileprivate func word<Word: RawRepresentable>(
        _ name: String
    ) throws(JSONError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try string(name)) else {
            throw .wrongType(name, expected: "a word that docs/PROTOCOL.md names")
        }
        return word
    }
}
