// What the commands of docs/PROTOCOL.md say, as values.

public import EventModel

extension ProtocolExample {
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
        78: .repair(
            RepairRequest(
                channel: "room", level: .rows,
                choice: RepairChoice(fetch: [bobsWish], only: [1]), run: adasSymbols.run(0..<1))),
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
}
