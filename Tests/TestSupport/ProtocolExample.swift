// What each example of docs/PROTOCOL.md says, as values: the client and the daemon must agree with
// it.

public import EventModel

/// The examples, by the id of their command.
public enum ProtocolExample {
    static let ada = MessageAction.Key(
        messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
        uuid: "ada")
    static let bob = MessageAction.Key(
        messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
        uuid: "bob")
    static let added = Timetoken(rawValue: 17_952_187_953_730_012)
    static let removed = Timetoken(rawValue: 17_952_187_953_730_099)
    static let start = Timetoken(rawValue: 17_952_187_953_729_261)
    static let bobs = MessageAction(key: bob, actionTimetoken: added)
    static let bobsPlace = ActionsPlace.value(
        type: bob.type, value: bob.value, userID: bob.uuid)
    static let epoch = "6f1c0e5b9a7d42d3.07c1a5e2"
    static let key = DigestKey("4b1d0fe26a9c73588e05d7b1c3fa2964")
    /// What the channel comes to with ada's message alone, under `key`.
    static let one: Digest = {
        var digest = Digest()
        let message = MessageRow(timetoken: ada.messageTimetoken, uuid: "ada", type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// The same with bob's action.
    static let two: Digest = {
        var digest = one
        if let key { digest.insert(bobs, key: key) }
        return digest
    }()
    /// An earlier message, in another segment.
    static let ahoy = StoredMessage(
        timetoken: Timetoken(rawValue: 17_952_187_953_729_200), uuid: "bob",
        message: Message(payload: #"{"text":"ahoy"}"#))
    static let boundary = Timetoken(rawValue: 17_952_187_953_729_998)
    /// What that message comes to.
    static let rest: Digest = {
        var digest = Digest()
        let message = MessageRow(timetoken: ahoy.timetoken, uuid: ahoy.uuid, type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// What all of the channel comes to.
    static let three: Digest = {
        var digest = two
        let message = MessageRow(timetoken: ahoy.timetoken, uuid: ahoy.uuid, type: nil)
        if let key { digest.insert(message, key: key) }
        return digest
    }()
    /// What the channel's people said of ada's message.
    static let summary: MessageSummary = {
        var state = SummaryState()
        if let key {
            state.insert(
                type: "reaction", value: "👍", ActionTotals(count: 2, score: 6), key: key)
        }
        return MessageSummary(
            messageTimetoken: ada.messageTimetoken, position: removed,
            groups: [
                MessageSummary.Group(
                    type: "reaction", value: "👍", count: 2, score: 6, first: added,
                    last: removed, authors: ["ada", "bob"])
            ], state: state)
    }()
    /// Stands on a device whose cache is wrong.
    static let adas = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: ada.messageTimetoken, type: "reaction", value: "👎", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 17_952_187_953_730_010))
    /// What that device sends for its repair.
    static let adasSymbols: RatelessEncoder = {
        var encoder = RatelessEncoder(0..<3)
        if let key { encoder.insert(RepairItem(adas, key: key)) }
        return encoder
    }()
    /// The same of its segments' states: it has one.
    static let adasSegments: RatelessEncoder = {
        var encoder = RatelessEncoder(0..<2)
        if let key {
            var state = Digest.empty
            state.insert(adas, key: key)
            encoder.insert(RepairItem(segmentAfter: .zero, state, key: key))
        }
        return encoder
    }()
    static let live = ActionsQuery(
        channel: "room", messageTimetoken: ada.messageTimetoken, types: ["reaction"],
        values: ["👍"], isDescending: true, limit: 1, live: .begin)
    static let nextOfLive: ActionsQuery = {
        var query = live
        (query.after, query.live) = (.time(removed), .extend(1))
        return query
    }()
    static let hi = Message(
        payload: #"{"text":"hi"}"#, meta: #"{"lang":"en"}"#, type: "text")

    /// What each example command says, by its id.
    public static let commands: [CommandID: Command] = [
        1: .hello(Hello(userID: "ada", deviceID: "phone")),
        2: .subscribe([SubscribeRequest(channel: "room")]),
        3: .subscribe([
            SubscribeRequest(channel: "room", cursor: added, epoch: epoch, base: two),
            SubscribeRequest(channel: "den", cursor: .zero),
        ]),
        17: .subscribe([
            SubscribeRequest(channel: "room", batchMilliseconds: 100, coalesces: true)
        ]),
        4: .unsubscribe(channels: ["den"]),
        5: .publish(PublishRequest(channel: "room", message: hi, mutation: "m-1")),
        6: .addAction(
            ActionRequest(
                channel: "room", messageTimetoken: ada.messageTimetoken, value: "👍", mutation: "m-2"
            )),
        7: .removeAction(
            RemovalRequest(
                action: ActionRequest(
                    channel: "room", messageTimetoken: ada.messageTimetoken, value: "👍",
                    mutation: "m-3"),
                actionTimetoken: added)),
        44: .subscribe([SubscribeRequest(channel: "room", actions: .summary)]),
        45: .summaries(
            SummariesQuery(
                channel: "room",
                messages: [
                    SummariesQuery.Message(ada.messageTimetoken),
                    SummariesQuery.Message(start, state: SummaryState()),
                ])),
        43: .addAction(
            ActionRequest(
                channel: "room", messageTimetoken: ada.messageTimetoken, value: "👍", score: 5,
                mutation: "m-9")),
        8: .history(HistoryQuery(channel: "room", limit: 2, includesActions: true)),
        9: .history(HistoryQuery(channel: "room", before: ada.messageTimetoken, limit: 2)),
        10: .actions(
            ActionsQuery(
                channel: "room", messageTimetoken: ada.messageTimetoken, types: ["reaction"],
                values: ["👍"], userIDs: ["bob"], after: .time(.zero), limit: 10)),
        34: .actions(live),
        35: .actions(nextOfLive),
        36: .endLive(1),
        11: .ping,
        13: .subscribe([
            SubscribeRequest(
                channel: "room", cursor: added, epoch: epoch,
                base: Digest("7ec8a6737c3c2d39149fb0dd0bd22ee1", count: 1), asksForRepair: true)
        ]),
        14: .repair(RepairRequest(channel: "room", run: adasSymbols.run(0..<2))),
        15: .repair(RepairRequest(channel: "room", run: adasSymbols.run(2..<3))),
        16: .repair(RepairRequest(channel: "room", run: adasSymbols.run(0..<1))),
        60: .subscribe([
            SubscribeRequest(
                channel: "room", cursor: added, epoch: epoch,
                base: Digest(count: 120_000, words: two.words), asksForRepair: true)
        ]),
        61: .repair(
            RepairRequest(channel: "room", level: .segments, run: adasSegments.run(0..<2))),
        62: .repair(RepairRequest(channel: "room", level: .rows, run: adasSymbols.run(0..<3))),
        63: .repair(
            RepairRequest(channel: "room", level: .segments, run: adasSegments.run(0..<1))),
        18: .publish(
            PublishRequest(
                channel: "room", message: Message(payload: #""typing""#), isStored: false)),
        19: .publish(
            PublishRequest(
                channel: "room", message: Message(payload: #"{"text":"until tomorrow"}"#),
                mutation: "m-4", hoursKept: 24)),
        20: .history(HistoryQuery(channel: "room", limit: 1, includesActions: true)),
        21: .actions(
            ActionsQuery(
                channel: "room", messageTimetoken: ada.messageTimetoken, after: .time(added))),
        22: .deleteMessages(
            DeletionRequest(channel: "room", through: ada.messageTimetoken, mutation: "m-5")),
        50: .editMessage(
            EditRequest(
                channel: "room", messageTimetoken: ada.messageTimetoken,
                payload: #"{"text":"hello"}"#, mutation: "m-6")),
        51: .deleteMessage(
            OwnDeletionRequest(
                channel: "room", messageTimetoken: ada.messageTimetoken, mutation: "m-7")),
        52: .deleteMessage(
            OwnDeletionRequest(channel: "room", messageTimetoken: ada.messageTimetoken)),
        53: .history(HistoryQuery(channel: "room", limit: 1)),
        56: .older(OlderQuery(channel: "room", last: 50)),
        57: .older(OlderQuery(channel: "room", through: boundary, last: 50)),
        58: .subscribe([SubscribeRequest(channel: "room", window: .end)]),
        59: .subscribe([
            SubscribeRequest(
                channel: "room", cursor: start, epoch: epoch, base: two, window: ahoy.timetoken)
        ]),
        54: .publish(
            PublishRequest(
                channel: "room",
                message: Message(payload: #""me, too""#, parent: ada.messageTimetoken),
                mutation: "m-8")),
        55: .history(HistoryQuery(channel: "room", limit: 10, parent: ada.messageTimetoken)),
        31: .removeActions(
            ClearingRequest(
                channel: "room", clearing: Clearing(messageTimetoken: ada.messageTimetoken),
                mutation: "m-10")),
        32: .removeActions(
            ClearingRequest(channel: "room", clearing: Clearing(type: "reaction", value: "👎"))),
        33: .removeActions(ClearingRequest(channel: "room", clearing: Clearing(userID: "bob"))),
        24: .token("qEF2AkF0GmkAAA"),
        42: .subscribe([SubscribeRequest(channel: "room", actions: .none)]),
        40: .actions(
            ActionsQuery(
                channel: "room", messageTimetoken: ada.messageTimetoken, values: ["👍", "❤️"],
                order: .value, limit: 1)),
        41: .actions(
            ActionsQuery(
                channel: "room", messageTimetoken: ada.messageTimetoken, values: ["👍", "❤️"],
                order: .value, after: bobsPlace, limit: 1)),
        25: .signal(
            SignalRequest(channel: "room", message: Message(payload: #"{"typing":true}"#))),
        26: .subscribe([
            SubscribeRequest(channel: "room", isPresent: true, state: #"{"mood":"👍"}"#)
        ]),
        27: .hereNow(OccupancyQuery(channel: "room", includesStates: true, limit: 2)),
        28: .whereNow(userID: nil),
        29: .setState(channel: "room", state: #"{"mood":"🎉"}"#),
        30: .getState(channel: "room", userID: "bob"),
        37: .follow(FollowRequest(.wildcard("news.*"), cursor: start, epoch: epoch)),
        38: .unfollow(.wildcard("news.*")),
        39: .follow(FollowRequest(.group("friends"))),
        46: .changeGroup(GroupRequest("friends", .add(["room", "den"]))),
        47: .group("friends"),
        64: .markRead(ReadMark(channel: "room", through: ada.messageTimetoken)),
        65: .unread(channels: ["room", "den"]),
    ].merging(DirectoryExample.commands) { $1 }

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
                ], symbols: 17)),
        62: .repair(
            .difference(
                RepairDifference(
                    cursor: added, state: nil, rows: [bobs], dropped: [adas.actionTimetoken]))),
        63: .repair(.whole),
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

    static let cleared = Timetoken(rawValue: 17_952_187_953_730_190)
    static let reply = Timetoken(rawValue: 17_952_187_953_730_303)
    static let deleted = Timetoken(rawValue: 17_952_187_953_730_150)
}
