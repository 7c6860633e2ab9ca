// What the replies of docs/PROTOCOL.md say, as values.

public import EventModel

extension ProtocolExample {
    /// What each example reply says, by its id.
    public static let replies: [CommandID: Reply] = [
        1: .hello(
            Welcome(session: "0-1", time: start, epoch: epoch, heartbeatSeconds: 25)),
        2: .subscribed([
            SubscribedChannel(channel: "room", mode: .current, cursor: start, key: key)
        ]),
        17: .subscribed([
            SubscribedChannel(channel: "room", mode: .current, cursor: start, key: key)
        ]),
        3: .subscribed([
            SubscribedChannel(
                channel: "room", mode: .current, cursor: added, key: key, state: two),
            SubscribedChannel(
                channel: "den", mode: .delta, cursor: .zero,
                key: DigestKey("9c8e417b02d65fa3e1f0387bd4a95c26")),
        ]),
        4: .unsubscribed(channels: ["den"]),
        5: .published(ada.messageTimetoken),
        6: .actionAdded(MessageAction(key: ada, actionTimetoken: added), .added),
        44: .subscribed([
            SubscribedChannel(channel: "room", mode: .current, cursor: start, key: key)
        ]),
        45: .summaries(SummariesPage([summary])),
        43: .actionAdded(MessageAction(key: ada, actionTimetoken: removed, score: 5), .updated),
        7: .actionRemoved(.removed),
        8: .history(
            HistoryPage(
                messages: [
                    StoredMessage(
                        timetoken: ada.messageTimetoken, uuid: "ada", message: hi, actions: [bobs])
                ], next: ada.messageTimetoken)),
        9: .history(HistoryPage(messages: [], next: nil)),
        56: .older(
            WindowPage(
                cursor: added, after: boundary, rest: rest, state: three,
                messages: [
                    StoredMessage(
                        timetoken: ada.messageTimetoken, uuid: "ada",
                        message: Message(payload: #"{"text":"hi"}"#))
                ], actions: [bobs])),
        58: .subscribed([
            SubscribedChannel(channel: "room", mode: .current, cursor: start, key: key)
        ]),
        59: .subscribed([
            SubscribedChannel(channel: "room", mode: .delta, cursor: start, key: key)
        ]),
        57: .older(
            WindowPage(
                cursor: added, after: .zero, rest: .empty, state: three, messages: [ahoy])),
        10: .actions(ActionsPage(actions: [bobs], next: nil)),
        34: .actions(
            ActionsPage(
                actions: [MessageAction(key: ada, actionTimetoken: removed, score: 5)],
                next: .time(removed), live: LivePage(id: 1, position: removed))),
        35: .actions(
            ActionsPage(
                actions: [bobs], next: nil, live: LivePage(id: 1, position: removed))),
        36: .liveEnded(1),
        11: .pong(Timetoken(rawValue: 17_952_187_953_731_000)),
        24: .tokenShown(expires: 3600),
        13: .subscribed([
            SubscribedChannel(channel: "room", mode: .repair, cursor: added, key: key)
        ]),
        14: .repair(.needsSymbols(3)),
        15: .repair(
            .difference(
                RepairDifference(
                    cursor: added, state: two, rows: [bobs],
                    messages: [
                        StoredMessage(
                            timetoken: ada.messageTimetoken, uuid: "ada",
                            message: Message(payload: #"{"text":"hi"}"#))
                    ], dropped: [adas.actionTimetoken]))),
        16: .repair(.snapshot),
        60: .subscribed([
            SubscribedChannel(
                channel: "room", mode: .repair, cursor: added, key: key, segmentMessages: 32)
        ]),
        61: .repair(
            .segments(
                [
                    MessageRange(
                        after: Timetoken(rawValue: ada.messageTimetoken.rawValue - 1),
                        through: adas.actionTimetoken),
                    MessageRange(after: removed, through: .end),
                ], states: [adasStretch, .empty], symbols: 17)),
        62: .repair(
            .difference(
                RepairDifference(
                    cursor: added, state: nil, rows: [bobs], dropped: [adas.actionTimetoken]))),
        63: .repair(.whole),
        78: .repair(.missing([added])),
        18: .published(Timetoken(rawValue: 17_952_187_953_730_300)),
        19: .published(Timetoken(rawValue: 17_952_187_953_730_301)),
        20: .history(
            HistoryPage(
                messages: [
                    StoredMessage(
                        timetoken: ada.messageTimetoken, uuid: "ada", message: hi, actions: [bobs],
                        moreActions: added)
                ], next: nil)),
        21: .actions(
            ActionsPage(
                actions: [
                    MessageAction(
                        key: ada, actionTimetoken: Timetoken(rawValue: added.rawValue + 1))
                ], next: nil)),
        22: .messagesDeleted(deleted),
        50: .actionAdded(
            MessageAction(
                key: MessageAction.Key(
                    messageTimetoken: ada.messageTimetoken, type: "edited",
                    value: #"{"text":"hello"}"#, uuid: "ada"),
                actionTimetoken: Timetoken(rawValue: 17_952_187_953_730_160)), .added),
        51: .messageDeleted(Timetoken(rawValue: 17_952_187_953_730_170)),
        52: .messageDeleted(nil),
        31: .actionsCleared(Timetoken(rawValue: 17_952_187_953_730_180), count: 3),
        32: .actionsCleared(cleared, count: 1),
        33: .actionsCleared(nil, count: 0),
        54: .published(reply),
        55: .history(
            HistoryPage(
                messages: [
                    StoredMessage(
                        timetoken: reply, uuid: "ada",
                        message: Message(payload: #""me, too""#, parent: ada.messageTimetoken))
                ], next: nil)),
        53: .history(
            HistoryPage(
                messages: [
                    StoredMessage(
                        timetoken: ada.messageTimetoken, uuid: "ada", message: hi,
                        edited: MessageVersion(
                            payload: #"{"text":"hello"}"#,
                            timetoken: Timetoken(rawValue: 17_952_187_953_730_160)),
                        deleted: Timetoken(rawValue: 17_952_187_953_730_165))
                ], next: nil)),
        42: .subscribed([SubscribedChannel(channel: "room", mode: .current, cursor: start)]),
        40: .actions(ActionsPage(actions: [bobs], next: bobsPlace)),
        41: .actions(ActionsPage(actions: [], next: nil)),
        25: .published(Timetoken(rawValue: 17_952_187_953_730_302)),
        26: .subscribed([
            SubscribedChannel(channel: "room", mode: .current, cursor: start, key: key)
        ]),
        27: .hereNow(
            OccupancyPage(
                occupancy: 3,
                users: [
                    Occupant(userID: "ada", state: #"{"mood":"👍"}"#), Occupant(userID: "bob"),
                ], next: 2)),
        28: .whereNow(channels: ["den", "room"]),
        29: .state(#"{"mood":"🎉"}"#),
        30: .state("{}"),
        37: .followed(start), 38: .unfollowed, 39: .followed(start), 46: .groupChanged,
        47: .group(channels: ["den", "room"]),
        64: .markedRead(through: ada.messageTimetoken),
        65: .unread([inRoom, inDen]),
    ].merging(DirectoryExample.replies) { $1 }
}
